"""Page of a received payment."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.billing.payment_allocations.operations import undo_allocation
from haulier.web.desk.pages import DeskRequest


async def load_received_payment(desk: DeskRequest, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the operation that undoes an allocation, if the user may run it."""
    return {"undo": undo_allocation if desk.may(undo_allocation) else None}
