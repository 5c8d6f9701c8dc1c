"""Rows of returns as answers."""

from collections.abc import Sequence

from haulier.contexts.orders.order_returns import store
from haulier.contexts.orders.order_returns.contract import (
    InspectionLine,
    OrderReturn,
    OrderReturnAnswer,
    OrderReturnItem,
    OrderReturnRefund,
    RefundableCharge,
)
from haulier.contexts.orders.order_returns.queries import list_order_charges, sum_proposed
from haulier.contexts.orders.order_returns.rules import OrderReturnState, RefundState, ReturnGrade, ReturnMethod
from haulier.contexts.orders.order_returns.store import OrderReturnRow, ReturnRefundRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, PriceFamily
from haulier.kernel.operations.records import record


async def return_records(call: Call, rows: Sequence[OrderReturnRow]) -> list[OrderReturn]:
    """Return returns as callers see them. One more statement in total."""
    refunds: dict[int, list[OrderReturnRefund]] = {}
    for row in await store.list_refund_rows(call.work, [row.id for row in rows]):
        refunds.setdefault(row.return_id, []).append(_refund_record(call, row))
    return [_return_record(call, row, refunds.get(row.id, [])) for row in rows]


async def return_answer(call: Call, row: OrderReturnRow) -> OrderReturnAnswer:
    """Return a return with the charges of its order; customers see no charges."""
    (shown,) = await return_records(call, [row])
    charges = await _charge_records(call, row) if call.principal.account in OFFICE else []
    return OrderReturnAnswer(order_return=shown, refundable_charges=charges)


def _return_record(call: Call, row: OrderReturnRow, refunds: list[OrderReturnRefund]) -> OrderReturn:
    return record(
        OrderReturn,
        row,
        method=ReturnMethod(row.method),
        state=OrderReturnState(row.state),
        items=[OrderReturnItem(**each) for each in row.items],
        inspection=[
            InspectionLine(
                number=each["number"],
                grade=ReturnGrade(each["grade"]),
                quantity=each["quantity"],
                location_id=each["location_id"],
            )
            for each in row.inspection
        ],
        refunds=refunds,
        inspected_at=call.local_time(row.inspected_at),
        created_at=call.local_time(row.created_at),
        updated_at=call.local_time(row.updated_at),
    )


def _refund_record(call: Call, row: ReturnRefundRow) -> OrderReturnRefund:
    return record(
        OrderReturnRefund,
        row,
        refund_minor=row.amount_minor,
        state=RefundState(row.state),
        proposed_at=call.local_time(row.proposed_at),
        decided_at=call.local_time(row.decided_at),
    )


async def _charge_records(call: Call, row: OrderReturnRow) -> list[RefundableCharge]:
    charges = await list_order_charges(call, row)
    proposed = await sum_proposed(call, [each.id for each in charges])
    return [
        RefundableCharge(
            charge_id=each.id,
            description=each.item,
            price_family=each.price_family or PriceFamily.LOCAL_DELIVERY,
            charged_minor=each.amount_minor,
            refundable_minor=max(0, each.left_minor - proposed.get(each.id, 0)),
            currency=each.currency,
        )
        for each in charges
    ]
