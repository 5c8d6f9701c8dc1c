"""Which carriers carry a subject, as reported by the contexts that hand parcels over."""

from collections.abc import Collection

from haulier.contexts.tracking.ingest import store
from haulier.contexts.tracking.timelines.queries import lock_subjects_by_number
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def assign_carrier(call: Call, tracking_number: str, carrier: str) -> None:
    """Record that a subject of this client was given to a carrier. It may be given to several, one after the other.

    From then on only providers that speak for one of them may push events of it, and these may end its journey. Raises
    `NOT_FOUND`.
    """
    if not await assign_carrier_to_known(call, [tracking_number], carrier):
        raise record_not_found(tracking_number=tracking_number)


async def assign_carrier_to_known(call: Call, tracking_numbers: Collection[str], carrier: str) -> dict[str, int]:
    """As `assign_carrier`, for many numbers at once. Returns those that are known, with the ids of their subjects."""
    found = await lock_subjects_by_number(call.work, tracking_numbers)
    await store.insert_carrier_assignments(call.work, {row.id for row in found.values()}, carrier)
    return {number: row.id for number, row in found.items()}
