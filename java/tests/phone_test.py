"""A phone, as far as one can be had here: a virtual machine that dials a proxy, with PoCL as its GPU.

Run without arguments but run.sh's path, this starts itself again with PoCL as the only OpenCL."""

import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# run.sh sets the path to PoCL's libraries alone. The interpreter and the virtual machine need their own.
START = 'export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$OWN_LIBRARIES"; exec "$@"'


def phone(port, plugins):
    """The virtual machine; it ends with its standard input. `plugins`: their folder."""
    jdk, jars = os.environ["PHONE_JDK"], os.environ["PHONE_JARS"]
    environment = dict(os.environ, LATHE_PLUGIN_PATH=plugins)
    environment["LD_LIBRARY_PATH"] += f":{jdk}/lib/x86_64-linux-gnu"
    java = f"{jdk}/usr/lib/jvm/java-17-openjdk-amd64/bin/java"
    return subprocess.Popen([java, "-XX:+UseSerialGC", "-cp", jars, "DeviceServer", "127.0.0.1", str(port),
                             "android"], env=environment, stdin=subprocess.PIPE)


def run_kernel():
    import numpy as np

    import lathe
    from lathe import relay, rpc, te
    from lathe.contrib import graph_executor

    n, threads = 64, 16
    A, B = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C.op)
    _, block = s[C].split(C.op.axis[0], factor=threads)
    _, thread = s[C].split(C.op.axis[1], factor=threads)
    s[C].bind(block, te.thread_axis("blockIdx.x"))
    s[C].bind(thread, te.thread_axis("threadIdx.x"))
    gemm = lathe.build(s, [A, B, C], "opencl", target_host="llvm", name="gemm_gpu")
    x, w = relay.var("x", shape=(4, 8)), np.random.rand(4, 8).astype("float32")
    net = relay.build(relay.Function([x], relay.nn.relu(x - relay.const(w))), "opencl")
    with tempfile.TemporaryDirectory() as folder, rpc.Proxy("127.0.0.1", 0) as proxy:
        path, net_path = os.path.join(folder, "gemm_gpu.so"), os.path.join(folder, "net.so")
        gemm.export_library(path)
        net.export_library(net_path)
        device = phone(proxy.port, os.path.join(os.path.dirname(lathe.__file__), "plugins"))
        try:
            for _ in range(2):  # sessions
                with rpc.connect("127.0.0.1", proxy.port, key="android") as remote:
                    remote.upload(path)
                    far = remote.load_module("gemm_gpu.so")
                    a, b = (lathe.nd.array(np.random.rand(n, n).astype("float32"), remote.cl(0)) for _ in range(2))
                    c = lathe.nd.array(np.zeros((n, n), "float32"), remote.cl(0))
                    assert far.time_evaluator(far.entry_name, remote.cl(0), number=5)(a, b, c).mean > 0
                    np.testing.assert_allclose(c.numpy(), a.numpy() @ b.numpy(), rtol=1e-5)
                    remote.upload(net_path)
                    m = graph_executor.GraphModule(remote.load_module("net.so")["default"](remote.cl(0)))
                    m.run(x=a.numpy()[:4, :8])
                    np.testing.assert_allclose(m.get_output(0).numpy(), np.maximum(a.numpy()[:4, :8] - w, 0), rtol=1e-6)
        finally:
            device.stdin.close()
            assert device.wait(60) == 0
    print("ran on the phone")


def main():
    run_sh, jars = sys.argv[1], [os.path.abspath(jar) for jar in sys.argv[2:]]
    program = f"import sys; sys.path[:0] = {sys.path!r}; import phone_test; phone_test.run_kernel()"
    environment = dict(os.environ, OWN_LIBRARIES=os.environ.get("LD_LIBRARY_PATH", ""),
                       PHONE_JDK=os.path.abspath("../jdk"), PHONE_JARS=":".join(jars))
    done = subprocess.run(["/bin/bash", run_sh, "/bin/bash", "-c", START, "-", sys.executable, "-I", "-S", "-B",
                           "-c", program], env=environment, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    assert done.returncode == 0 and "ran on the phone" in done.stdout


if __name__ == "__main__":
    main()
