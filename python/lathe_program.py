#!python
"""`lathe`, the command line, as pip installs it: starts the program of the package in its place."""

import importlib.util
import os
import sys

package = importlib.util.find_spec("lathe")
if package is None or package.origin is None:
    sys.exit("the package lathe is not installed for " + sys.executable)
program = os.path.join(os.path.dirname(package.origin), "bin", "lathe")
os.execv(program, [program, *sys.argv[1:]])
