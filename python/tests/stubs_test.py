"""The stubs are those that make_stubs.py writes, and mypy accepts the lessons against them."""

import os
import subprocess
import sys

ROOT = os.getcwd()

if __name__ == "__main__":
    environment = dict(os.environ, PYTHONPATH=":".join(p for p in sys.path if p),
                       MYPYPATH=os.path.join(ROOT, "python/site"))
    python = [sys.executable, "-S", "-B"]
    # Only the package's own names: what lies beside the script must not hide it.
    make = ("import runpy, sys; sys.argv = ['make_stubs.py', '--check', 'python']; "
            "runpy.run_path('python/stubs/make_stubs.py', run_name='__main__')")
    stale = subprocess.run([*python, "-c", make], env=environment).returncode
    wrong = subprocess.run(
        [*python, "-m", "mypy", "--no-site-packages", "--cache-dir", os.environ["TEST_TMPDIR"],
         "--ignore-missing-imports", *sys.argv[1:]], env=environment).returncode
    sys.exit(stale or wrong)
