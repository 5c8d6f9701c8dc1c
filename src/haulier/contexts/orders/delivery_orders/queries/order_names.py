"""Orders by the names that people give them: ids, tracking numbers, references."""

from collections.abc import Collection

from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.delivery_orders.store.numbers import find_order_ids_by_numbers
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError, declare_error, record_not_found

ORDER_REF_AMBIGUOUS = declare_error("order_ref_ambiguous", 409)

FoundOrder = int | OperationError
"""The id of an order, or why a name means none."""


async def find_order_ids_by_names(
    call: Call, order_ids: Collection[int], tracking_numbers: Collection[str], order_refs: Collection[str]
) -> dict[str, FoundOrder]:
    """The id of each named order of the client, by its name as text, or why that means none."""
    known = {row.id for row in await store.list_order_rows(call.work, order_ids)} if order_ids else set[int]()
    capitals = {number: number.upper() for number in tracking_numbers}
    by_number = await find_order_ids_by_numbers(call.work, capitals.values())
    by_ref: dict[str, list[int]] = {ref: [] for ref in order_refs}
    for row in await store.list_order_rows_by_refs(call.work, order_refs):
        by_ref[row.order_ref or ""].append(row.id)
    return {
        **{str(id): id if id in known else record_not_found(order_id=id) for id in order_ids},
        **{
            number: by_number.get(capital) or record_not_found(tracking_number=number)
            for number, capital in capitals.items()
        },
        **{ref: _one_of(ref, ids) for ref, ids in by_ref.items()},
    }


def _one_of(ref: str, ids: Collection[int]) -> FoundOrder:
    if len(ids) > 1:
        return ORDER_REF_AMBIGUOUS(order_ref=ref, count=len(ids))
    return next(iter(ids), None) or record_not_found(order_ref=ref)
