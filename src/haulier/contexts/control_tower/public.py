"""Public interface of the control tower."""

from haulier.contexts.control_tower.overview.queries import sum_truths

__all__ = ["sum_truths"]
