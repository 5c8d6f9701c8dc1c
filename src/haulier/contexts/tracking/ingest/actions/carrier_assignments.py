"""Which carriers carry a subject, as reported by the contexts that hand parcels over."""

from haulier.contexts.tracking.ingest import store
from haulier.contexts.tracking.timelines.queries import find_subject_id
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def assign_carrier(call: Call, tracking_number: str, carrier: str) -> None:
    """Record that a subject of this client was given to a carrier. It may be given to several, one after the other.

    From then on only providers that speak for one of them may push events of it. Raises `NOT_FOUND`.
    """
    subject_id = await find_subject_id(call.work, tracking_number)
    if subject_id is None:
        raise record_not_found(tracking_number=tracking_number)
    await store.insert_carrier_assignment(call.work, subject_id, carrier)
