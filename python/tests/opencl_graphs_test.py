"""Runs device_graphs.py with the pinned PoCL as the only OpenCL."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# run.sh sets the path to PoCL's libraries alone. The interpreter needs its own in addition.
START = 'export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$OWN_LIBRARIES"; exec "$@"'
PROGRAM = f"import sys; sys.path[:0] = {sys.path!r}; import runpy; runpy.run_path({os.path.join(HERE, 'device_graphs.py')!r})"

if __name__ == "__main__":
    environment = dict(os.environ, OWN_LIBRARIES=os.environ.get("LD_LIBRARY_PATH", ""))
    done = subprocess.run(["/bin/bash", sys.argv[1], "/bin/bash", "-c", START, "-", sys.executable, "-I", "-S", "-B",
                           "-c", PROGRAM, "opencl"], env=environment, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    assert done.returncode == 0 and "graphs ran on opencl" in done.stdout
