"""Visiting and rewriting, under its usual name."""

from .functor import ir_transform, post_order_visit, renew_defs, substitute

__all__ = ["ir_transform", "post_order_visit", "renew_defs", "substitute"]
