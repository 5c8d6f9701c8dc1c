"""What a policy says, and what it says where a business said nothing."""

from datetime import timedelta

from msgspec import Struct

UNCLAIMED_AFTER_DAYS = 30


class ConsolidationPolicy(Struct, frozen=True):
    """What is done with parcels that nobody announced, and with those that nobody claims."""

    unclaimed_after_days: int = UNCLAIMED_AFTER_DAYS
    queue_unannounced: bool = False

    @property
    def unclaimed_after(self) -> timedelta:
        """How long a parcel that is nobody's waits before it counts as unclaimed."""
        return timedelta(days=self.unclaimed_after_days)
