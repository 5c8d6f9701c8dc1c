"""The kinds of work on inbound parcels that waits, and what each is given."""

from msgspec import Struct

POLL_JOB = "consolidation.poll"
GIVE_UP_JOB = "consolidation.give_up"


class PollInboundParcel(Struct, frozen=True):
    """Of which parcel scans are asked for."""

    parcel_id: int


class GiveUpUnclaimed(Struct, frozen=True):
    """No arguments: the job looks at every parcel of its client that is nobody's."""
