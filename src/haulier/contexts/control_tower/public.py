"""What may be used of the control tower."""

from haulier.contexts.control_tower.agent.rules.clerk.clerk import BESIDE_TOOLS, Clerk
from haulier.contexts.control_tower.overview.queries import sum_truths

__all__ = ["BESIDE_TOOLS", "Clerk", "sum_truths"]
