"""Helpers around a compilation."""
