"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.contrib.utils import TempDirectory as TempDirectory
from lathe.contrib.utils import tempdir as tempdir
