"""How lathe.bzl reaches the program: here it is a file of the release."""

PROGRAM_CFG = "host"

PROGRAM_ATTRS = {}
