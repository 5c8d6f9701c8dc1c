"""Rules of the policy, and its defaults."""

from datetime import timedelta

from msgspec import Struct

UNCLAIMED_AFTER_DAYS = 30


class ConsolidationPolicy(Struct, frozen=True):
    """Policy for unannounced and unclaimed parcels."""

    unclaimed_after_days: int = UNCLAIMED_AFTER_DAYS
    queue_unannounced: bool = False

    @property
    def unclaimed_after(self) -> timedelta:
        """Return the time after which a parcel without an owner is unclaimed."""
        return timedelta(days=self.unclaimed_after_days)
