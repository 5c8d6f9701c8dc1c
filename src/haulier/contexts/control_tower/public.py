"""What may be used of the control tower."""

from haulier.contexts.control_tower.overview.queries.truths import sum_truths

__all__ = ["sum_truths"]
