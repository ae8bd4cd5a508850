"""Servers that dial out to a proxy, and clients that reach them by key."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import lathe
from lathe import rpc
from lathe.exec import rpc_proxy


def export_functions():
    """Runs in each worker."""
    lathe.register_func("rpc_proxy_test.pid", os.getpid, exported=True)
    lathe.register_func("rpc_proxy_test.exit", lambda code: os._exit(code), exported=True)


def device(proxy, key="android", **options):
    return rpc.Server("127.0.0.1", proxy.port, is_proxy=True, key=key,
                      load_library=[f"{__name__}:export_functions"], **options)


def connect(proxy, key="android", **options):
    return rpc.connect("127.0.0.1", proxy.port, key=key, **options)


def test_a_session_through_a_proxy():
    with rpc.Proxy("127.0.0.1", 0) as proxy, device(proxy) as server:
        assert server.port == 0
        with connect(proxy) as remote:
            x = np.random.rand(300, 1000).astype("float32")
            np.testing.assert_equal(lathe.nd.array(x, remote.cpu()).numpy(), x)
            remote.upload(b"text", "a.txt")
            assert remote.list_files() == ["a.txt"]
            assert remote.get_function("rpc_proxy_test.pid")() != os.getpid()
        with connect(proxy) as remote:
            with pytest.raises(lathe.LatheError, match="status 7"):
                remote.get_function("rpc_proxy_test.exit")(7)
        with connect(proxy) as remote:
            assert remote.list_files() == []


def test_keys_choose_devices():
    with rpc.Proxy("127.0.0.1", 0) as proxy, device(proxy, "one"), device(proxy, "two"):
        with connect(proxy, "one") as one, connect(proxy, "two") as two:
            pids = {s.get_function("rpc_proxy_test.pid")() for s in (one, two)}
            assert len(pids) == 2


def test_secrets_and_wrong_arguments(tmp_path):
    secret = tmp_path / "secret"
    rpc.keygen(secret)
    with pytest.raises(lathe.LatheError, match="rpc-insecure"):
        rpc.Proxy("0.0.0.0", 0)
    for wrong in ({"web_port": 8888}, {"tracker_addr": ("127.0.0.1", 9190)}):
        with pytest.raises(lathe.LatheError, match="rpc-proxy-option"):
            rpc.Proxy("127.0.0.1", 0, **wrong)
    with pytest.raises(ValueError, match="is_proxy"):
        rpc.Server("127.0.0.1", is_proxy=True)
    with rpc.Proxy("127.0.0.1", 0, secret_file=secret) as proxy:
        with pytest.raises(lathe.LatheError, match="rpc-port"):
            rpc.Proxy("127.0.0.1", proxy.port)
        with device(proxy, secret_file=secret):
            with pytest.raises(lathe.LatheError, match="rpc-secret"):
                connect(proxy)
            with connect(proxy, secret_file=secret) as remote:
                assert remote.list_files() == []


def start(module, *options):
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    return subprocess.Popen([sys.executable, "-m", f"lathe.exec.{module}", *options], env=env,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


@pytest.mark.parametrize("dial", ["--proxy", "--through-proxy"])
def test_the_programs(dial):
    proxy = start("rpc_proxy", "--port", "0")
    port = int(proxy.stdout.readline().rpartition(":")[2])
    address = ["--proxy", f"127.0.0.1:{port}"]
    if dial == "--through-proxy":
        address = ["--through-proxy", "--host", "127.0.0.1", "--port", str(port)]
    server = start("rpc_server", *address, "--key", "android")
    assert server.stdout.readline() == f"dialling 127.0.0.1:{port}\n"
    with rpc.connect("127.0.0.1", port, key="android") as remote:
        assert remote.cpu().exist
    for program in (server, proxy):
        program.send_signal(signal.SIGTERM)
        assert program.wait(20) == 0


@pytest.mark.parametrize("option", ["--tracker=h:1", "--web-port=1", "--timeout-client=2"])
def test_options_that_other_proxies_have(option, capsys):
    with pytest.raises(SystemExit):
        rpc_proxy.main([option])
    assert "help: docs/guides/remote.md" in capsys.readouterr().err


def test_unknown_options(capsys):
    with pytest.raises(SystemExit):
        rpc_proxy.main(["--nonsense"])
    assert "unknown option `--nonsense`" in capsys.readouterr().err
