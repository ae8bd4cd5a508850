"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.tir.functor import ir_transform as ir_transform
from lathe.tir.functor import post_order_visit as post_order_visit
from lathe.tir.functor import renew_defs as renew_defs
from lathe.tir.functor import substitute as substitute
