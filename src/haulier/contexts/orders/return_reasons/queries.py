"""One return reason, by the code that the driver sends."""

from msgspec import Struct

from haulier.contexts.orders.return_reasons import store
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


class ReturnReason(Struct, frozen=True, kw_only=True):
    """Requirements of a return reason.

    `next_step` is retry, return or hold; `otep_reason` is the code in tracking events.
    """

    code: str
    otep_reason: str
    asks_photo: bool
    asks_note: bool
    next_step: str


async def get_return_reason(call: Call, code: str) -> ReturnReason | None:
    """The reason of the client's list with this code that is switched on, or None."""
    row = await store.find_active_return_reason_row(call.work, code)
    return record(ReturnReason, row) if row else None
