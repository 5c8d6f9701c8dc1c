"""One return reason, as the driver at the door names it."""

from msgspec import Struct

from haulier.contexts.orders.return_reasons import store
from haulier.kernel.call import Call


class ReturnReason(Struct, frozen=True, kw_only=True):
    """What a reason asks for. `next_step` is retry, return or hold; `otep_reason` is what tracking tells the world."""

    code: str
    otep_reason: str
    asks_photo: bool
    asks_note: bool
    next_step: str


async def get_return_reason(call: Call, code: str) -> ReturnReason | None:
    """The reason of the client's list with this code that is switched on, or None."""
    row = await store.find_active_return_reason_row(call.work, code)
    return row and ReturnReason(
        code=row.code,
        otep_reason=row.otep_reason,
        asks_photo=bool(row.asks_photo),
        asks_note=bool(row.asks_note),
        next_step=row.next_step,
    )
