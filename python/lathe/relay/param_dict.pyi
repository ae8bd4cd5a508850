"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.runtime import load_param_dict as load_param_dict
from lathe.runtime import save_param_dict as save_param_dict
