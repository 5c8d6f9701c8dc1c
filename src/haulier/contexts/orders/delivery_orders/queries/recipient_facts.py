"""What recipients are told of their orders, and who they are."""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


class RecipientFacts(Struct, frozen=True, kw_only=True):
    """An order, as its recipient knows it. `consignee` and `shipper` are addresses as documents.

    `language` is the recipient's, where it was said; the window is promised, its times are instants.
    `third_party_held` says that another business delivers it.
    """

    id: int
    tracking_number: str
    type: str
    status: OrderStatus
    customer_id: int | None
    consignee: Mapping[str, Any] | None
    shipper: Mapping[str, Any] | None
    language: str | None
    scheduled_date: date | None
    window_start: datetime | None
    window_end: datetime | None
    delivery_instruction: str | None
    replaced_by_order_id: int | None
    third_party_held: bool


async def get_recipient_facts(
    call: Call, order_ids: Collection[int], *, lock: bool = False
) -> dict[int, RecipientFacts]:
    """The client's orders among some ids as their recipients know them, in one statement; locked when asked."""
    rows = await store.list_recipient_rows(call.work, order_ids, lock=lock) if order_ids else []
    return {row.id: record(RecipientFacts, row, status=OrderStatus(row.status)) for row in rows}
