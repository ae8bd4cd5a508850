"""Attributes of operators for a while."""

from ...ir import TempOpAttr  # noqa: F401
