"""Who carries what, as the contexts above say that give parcels away."""

from haulier.contexts.tracking.ingest import store
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import NOT_FOUND


async def assign_carrier(call: Call, tracking_number: str, carrier: str) -> None:
    """Say that a subject of this client was given to a carrier; it may be given to several, one after the other.

    From then on only providers that speak for one of them may tell of it. Raises `NOT_FOUND`.
    """
    if not await store.insert_carrier_assignment(call.work, tracking_number, carrier):
        raise NOT_FOUND()
