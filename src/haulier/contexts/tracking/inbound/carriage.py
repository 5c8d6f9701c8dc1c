"""Who carries what, as the contexts above say that give parcels away."""

from haulier.contexts.tracking.inbound import store
from haulier.kernel.call import Call
from haulier.kernel.errors import NOT_FOUND


async def entrust(call: Call, tracking_number: str, carrier: str) -> None:
    """Say that a subject of this client was given to a carrier; it may be given to several, one after the other.

    From then on only providers that speak for one of them may tell of it. Raises `NOT_FOUND`.
    """
    if not await store.entrust(call.work, tracking_number, carrier):
        raise NOT_FOUND()
