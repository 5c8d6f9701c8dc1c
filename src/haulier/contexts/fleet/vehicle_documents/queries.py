"""Vehicle documents as other families read them."""

from datetime import date

from haulier.contexts.fleet.vehicle_documents import store
from haulier.kernel.call import Call


async def count_due_vehicle_documents(call: Call, until: date, contractor_id: int | None = None) -> int:
    """Return the number of documents of vehicles in use that expire by a day."""
    own = {} if contractor_id is None else {"contractor": contractor_id}
    return await store.count_vehicle_document_rows(call.work, {"due_until": until, **own})
