"""Odds and ends around a compile."""
