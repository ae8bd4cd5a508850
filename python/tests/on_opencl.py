"""Runs a program of this folder with the pinned PoCL as the only OpenCL.

arguments: third_party/pocl/run.sh, the program and its arguments
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# run.sh sets the path to PoCL's libraries alone. The interpreter needs its own in addition.
START = 'export LD_LIBRARY_PATH="$LD_LIBRARY_PATH:$OWN_LIBRARIES"; exec "$@"'
PROGRAM = f"""
import runpy, sys
sys.path[:0] = {sys.path!r}
sys.argv = sys.argv[1:]
runpy.run_path({HERE!r} + "/" + sys.argv[0], run_name="__main__")
"""

if __name__ == "__main__":
    environment = dict(os.environ, OWN_LIBRARIES=os.environ.get("LD_LIBRARY_PATH", ""),
                       LATHE_TEST_TARGET="opencl")
    run, program, *arguments = sys.argv[1:]
    sys.exit(subprocess.run(["/bin/bash", run, "/bin/bash", "-c", START, "-", sys.executable, "-I", "-S", "-B",
                             "-c", PROGRAM, program, *arguments], env=environment).returncode)
