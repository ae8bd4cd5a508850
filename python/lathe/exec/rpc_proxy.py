"""Connects clients with devices that dial out, by key: python -m lathe.exec.rpc_proxy."""

import argparse
import signal
import sys
import threading

# Options of other proxies of this kind, and what does the same here.
_INSTEAD = {
    "--tracker": "each server registers itself: rpc_server --proxy HOST:PORT --tracker HOST:PORT",
    "--web-port": "there is no proxy for browsers",
    "--resource-base": "there is no proxy for browsers",
    "--timeout-client": "a lost client is noticed by its heartbeats",
    "--timeout-server": "a lost device is noticed by its heartbeats",
    "--example-rpc": "there is no proxy for browsers",
}


def main(args=None):
    """Runs the program until Ctrl-C or SIGTERM. Returns the exit status.

    Example:
        >>> from lathe.exec import rpc_proxy
        >>> rpc_proxy.main(["--host", "0.0.0.0", "--port", "0"])    # without a secret
        1
    """
    parser = argparse.ArgumentParser(
        prog="python -m lathe.exec.rpc_proxy", description=__doc__.partition(":")[0] + ".",
        epilog="A device dials out with `python -m lathe.exec.rpc_server --proxy HOST:PORT --key "
               "KEY`; clients connect with this proxy as with a server, and name the key.",
        allow_abbrev=False)
    parser.add_argument("--host", default="127.0.0.1",
                        help="address to listen on (%(default)s: this machine only)")
    parser.add_argument("--port", type=int, default=9090, help="first port to try (%(default)s)")
    parser.add_argument("--port-end", type=int, default=0,
                        help="tries ports up to this one, exclusive (PORT + 100)")
    parser.add_argument("--secret-file", default="",
                        help="devices and clients must have the same secret")
    parser.add_argument("--insecure", action="store_true",
                        help="takes anybody without a secret, on a network that you trust wholly")
    parser.add_argument("--log-file", default="", metavar="FILE",
                        help="writes what happens there, with the time; it may be rotated")
    parser.add_argument("--silent", action="store_true", help="prints errors only")
    options, others = parser.parse_known_args(args)
    for other in others:
        name = other.partition("=")[0]
        if name in _INSTEAD:
            parser.error(f"{name} does not exist here: {_INSTEAD[name]}\n"
                         "help: docs/guides/remote.md, `Devices that only dial out`")
    if others:
        parser.error(f"unknown option `{others[0]}`")

    from .. import rpc
    from ..error import LatheError

    try:
        port_end = options.port_end or (min(options.port + 100, 65536) if options.port else 0)
        proxy = rpc.Proxy(options.host, options.port, port_end,
                          silent=options.silent, secret_file=options.secret_file,
                          insecure=options.insecure,
                          log_file=options.log_file)
    except LatheError as error:
        print(f"rpc_proxy: {error}", file=sys.stderr)
        return 1
    print(f"listening on {options.host}:{proxy.port}", flush=True)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    while not stop.wait(0.5):
        pass
    proxy.terminate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
