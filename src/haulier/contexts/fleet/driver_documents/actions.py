"""Documents of drivers as other families write them."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.fleet.driver_documents.rules import ReviewVerdict
from haulier.contexts.fleet.driver_documents.store import DriverDocumentRow
from haulier.kernel.call import Call


async def add_driver_documents(
    call: Call, driver_id: int, documents: Sequence[Mapping[str, Any]], *, uploaded_by: int
) -> None:
    """Write documents of a driver that wait for a review, in one statement."""
    common = {
        "driver_id": driver_id,
        "verdict": ReviewVerdict.PENDING.value,
        "uploaded_by": uploaded_by,
        "uploaded_at": call.now,
    }
    await DriverDocumentRow.insert_many(call.work, [{**document, **common} for document in documents])
