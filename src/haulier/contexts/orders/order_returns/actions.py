"""Writes of order returns, within the caller's transaction.

Lock order: routes, orders, returns, then charges.
"""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.billing.ledger.rules import REFUND_TOO_MUCH
from haulier.contexts.billing.public import SubjectCharge, refund
from haulier.contexts.orders.delivery_orders.actions.create import create_orders
from haulier.contexts.orders.delivery_orders.actions.partner_copies import cancel_bought_delivery
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderAddress, Package
from haulier.contexts.orders.delivery_orders.queries.order_facts import get_order_facts, list_order_pieces
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_STEP_REFUSED, OrderStatus
from haulier.contexts.orders.events import OrderReturnChanged, OrderReturnCreated
from haulier.contexts.orders.order_returns import store
from haulier.contexts.orders.order_returns.contract import (
    CancelOrderReturn,
    CreateOrderReturn,
    DecideReturnRefunds,
    InspectOrderReturn,
    ProposeReturnRefunds,
)
from haulier.contexts.orders.order_returns.queries import (
    get_visible_return,
    list_order_charges,
    load_returnable_items,
    sum_proposed,
)
from haulier.contexts.orders.order_returns.rules import (
    ORDER_RETURN_NOT_RECEIVED,
    ORDER_RETURN_STEP_REFUSED,
    RETURN_REFUND_DECIDED,
    OrderReturnState,
    RefundState,
    ReturnGrade,
    ReturnMethod,
    check_inspected,
    choose_returned,
    is_received,
)
from haulier.contexts.orders.order_returns.store import OrderReturnRow, ReturnRefundRow
from haulier.contexts.orders.ports import ReturnedPieces, ReturnedStock
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import (
    CONFLICT,
    INVALID_REQUEST,
    FieldError,
    OperationError,
    record_not_found,
)
from haulier.kernel.values.money import Money

WEIGHT_MAX_G = 50_000_000
RETURN_OF = "return_of"
"""Name of the reference of a return order to the number of the returned order."""


async def create_return(call: Call, request: CreateOrderReturn) -> OrderReturnRow:
    """Create the return of a delivered order, and its return order.

    The order is locked, so that no unit is returned twice. Raises `NOT_FOUND`, `ORDER_STEP_REFUSED` for an order that
    is not delivered, `RETURN_QUANTITY_EXCEEDED`, `INVALID_REQUEST`, and the errors of creating an order.
    """
    order = await get_visible_order(call, request.order_id, lock=True)
    if order.status != OrderStatus.DELIVERED:
        raise ORDER_STEP_REFUSED(step="return", status=OrderStatus(order.status).name)
    known, before = await load_returnable_items(call, order.id)
    items = choose_returned(known, before, [(each.number, each.quantity) for each in request.items])
    return_order_id = None
    if request.method is not ReturnMethod.DROP_OFF:
        return_order_id = await _create_return_order(call, order, request)
    return await _insert(
        call, order.id, order.customer_id, request.method, request.reason, request.note, items, return_order_id
    )


async def record_recipient_return(
    call: Call, order_id: int, return_order_id: int, method: ReturnMethod, reason: str, note: str
) -> None:
    """Record the return that a recipient began.

    It has all remaining units of a locked order. Raises `RETURN_QUANTITY_EXCEEDED` if nothing is left to return.
    """
    known, before = await load_returnable_items(call, order_id)
    customer_id = (await get_order_facts(call, [order_id]))[order_id].customer_id
    items = choose_returned(known, before, [])
    await _insert(call, order_id, customer_id, method, reason, note, items, return_order_id)


async def _insert(
    call: Call,
    order_id: int,
    customer_id: int | None,
    method: ReturnMethod,
    reason: str,
    note: str,
    items: Sequence[dict[str, Any]],
    return_order_id: int | None,
) -> OrderReturnRow:
    id = await OrderReturnRow.insert(
        call.work,
        order_id=order_id,
        return_order_id=return_order_id,
        customer_id=customer_id,
        method=method.value,
        state=OrderReturnState.OPEN.value,
        reason=reason,
        note=note.strip() or None,
        items=items,
        inspection=[],
        inspected_at=None,
        inspected_by=None,
        created_at=call.now,
        updated_at=call.now,
    )
    orders = [order_id, *([return_order_id] if return_order_id is not None else [])]
    call.add_audit_subjects("order", *orders)
    call.add_audit_subjects("order_return", id)
    await call.publish(OrderReturnCreated(order_return_id=id, order_id=order_id, method=method.value))
    return await _reload(call, id)


async def _create_return_order(call: Call, order: Any, request: CreateOrderReturn) -> int:
    """Create the order that brings the goods from the recipient to their destination."""
    if order.consignee is None:
        raise INVALID_REQUEST.for_fields(FieldError("order_id", "field.order_has_no_end"))
    target = request.return_to or (_end(order.shipper) if order.shipper else None)
    if target is None and request.method is ReturnMethod.CARRIER:
        raise INVALID_REQUEST.for_fields(FieldError("return_to", "field.missing"))
    weight_g = sum(piece.weight_g for piece in await list_order_pieces(call, [order.id]))
    wanted = CreateOrder(
        type="P" if target is None else "P2P",
        shipper=_end(order.consignee),
        consignee=target,
        packages=request.packages or [Package(weight_g=min(weight_g, WEIGHT_MAX_G))],
        service=request.service,
        customer_id=order.customer_id,
        references={RETURN_OF: order.tracking_number},
        note="\n".join(filter(None, (request.reason, request.note.strip()))),
        language=order.language,
    )
    (outcome,) = await create_orders(call, [wanted])
    if outcome.row is None:
        raise outcome.error or CONFLICT()
    return outcome.row.id


def _end(address: dict[str, Any]) -> OrderAddress:
    return OrderAddress.model_validate(
        {name: value for name, value in address.items() if name in OrderAddress.model_fields}
    )


async def cancel_return(call: Call, request: CancelOrderReturn) -> OrderReturnRow:
    """Cancel an open return and its return order. A cancelled one is unchanged.

    Raises `NOT_FOUND`, `ORDER_RETURN_STEP_REFUSED`, `ORDER_STEP_REFUSED` if the goods were picked up.
    """
    seen = await get_visible_return(call, request.order_return_id)
    if seen.return_order_id is not None and seen.state == OrderReturnState.OPEN:
        await _cancel_return_order(call, seen.return_order_id, request.reason)
    row = await get_visible_return(call, request.order_return_id, lock=True)
    if row.state == OrderReturnState.INSPECTED:
        raise ORDER_RETURN_STEP_REFUSED(step="cancel", status=row.state)
    if row.state == OrderReturnState.OPEN:
        await _update(call, row, state=OrderReturnState.CANCELLED.value)
    return await _reload(call, row.id)


async def _cancel_return_order(call: Call, return_order_id: int, reason: str | None) -> None:
    if not await cancel_bought_delivery(call, return_order_id, reason):
        status = (await get_order_facts(call, [return_order_id]))[return_order_id].status
        raise ORDER_STEP_REFUSED(step="cancel", status=status.name)


async def inspect_return(call: Call, request: InspectOrderReturn) -> OrderReturnRow:
    """Record the inspection of a return once, and put its units back into stock.

    Raises `NOT_FOUND`, `ORDER_RETURN_STEP_REFUSED`, `ORDER_RETURN_NOT_RECEIVED`, and `INVALID_REQUEST` for units that
    are not of the return or cannot be put back.
    """
    row = await get_visible_return(call, request.order_return_id, lock=True)
    if row.state != OrderReturnState.OPEN:
        raise ORDER_RETURN_STEP_REFUSED(step="inspect", status=row.state)
    facts = await get_order_facts(call, [row.order_id, *([row.return_order_id] if row.return_order_id else [])])
    carried = facts.get(row.return_order_id or 0)
    if carried is not None and not is_received(carried.status, carried.fulfilment):
        raise ORDER_RETURN_NOT_RECEIVED(status=carried.status.name)
    check_inspected(row.items, [(each.number, each.quantity) for each in request.lines])
    await _put_back(call, row, request, facts[row.order_id].tracking_number)
    await _update(
        call,
        row,
        state=OrderReturnState.INSPECTED.value,
        inspection=[
            {"number": each.number, **each.model_dump(mode="json", include={"grade", "quantity", "location_id"})}
            for each in request.lines
        ],
        inspected_at=call.now,
        inspected_by=call.actor,
    )
    return await _reload(call, row.id)


async def _put_back(call: Call, row: OrderReturnRow, request: InspectOrderReturn, reference: str) -> None:
    stock = call.app.find_adapter(ReturnedStock)
    skus = {each["number"]: each["sku"] for each in row.items}
    placed = [(at, each) for at, each in enumerate(request.lines) if each.location_id is not None]
    faults = [
        FieldError(f"lines.{at}.location_id", "field.not_put_back")
        for at, each in placed
        if stock is None or skus[each.number] is None or each.grade is ReturnGrade.MISSING
    ]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    if stock is None or not placed:
        return
    pieces = [
        ReturnedPieces(
            sku=skus[each.number],
            quantity=each.quantity,
            grade=each.grade.value,
            location_id=each.location_id or 0,
            lot=each.lot,
            serial=each.serial,
            expires_on=each.expires_on,
        )
        for _, each in placed
    ]
    try:
        await stock.put_back(call, pieces, reference)
    except OperationError as error:
        raise _at_lines(error, [at for at, _ in placed]) from error


def _at_lines(error: OperationError, positions: Sequence[int]) -> OperationError:
    """Return the error of stock as an error of the request's lines."""
    faults = error.field_errors or (FieldError("lines", error.error_type.id, error.params),)
    return INVALID_REQUEST.for_fields(
        *(FieldError(_path_of(each.field, positions), each.code, each.params) for each in faults)
    )


def _path_of(field: str, positions: Sequence[int]) -> str:
    head, _, rest = field.partition(".")
    if head != "lines" or not rest:
        return "lines"
    at, _, name = rest.partition(".")
    return f"lines.{positions[int(at)]}.{name}"


async def propose_refunds(call: Call, request: ProposeReturnRefunds) -> OrderReturnRow:
    """Propose refunds of charges of an inspected return's order.

    The order is locked, so that proposals together never exceed a charge. Raises `NOT_FOUND`,
    `ORDER_RETURN_STEP_REFUSED`, `REFUND_TOO_MUCH`, and `INVALID_REQUEST` for a charge of another order.
    """
    seen = await get_visible_return(call, request.order_return_id)
    await get_order_facts(call, [seen.order_id], lock=True)
    row = await get_visible_return(call, request.order_return_id, lock=True)
    if row.state != OrderReturnState.INSPECTED:
        raise ORDER_RETURN_STEP_REFUSED(step="propose_refunds", status=row.state)
    charges = {each.id: each for each in await list_order_charges(call, row)}
    proposed = await sum_proposed(call, charges)
    left = {id: max(0, each.left_minor - proposed.get(id, 0)) for id, each in charges.items()}
    chosen = _choose_refunds(request, charges, left)
    await ReturnRefundRow.insert_many(
        call.work,
        [
            {
                "return_id": row.id,
                "charge_id": id,
                "price_family": charges[id].price_family or PriceFamily.LOCAL_DELIVERY,
                "currency": charges[id].currency,
                "amount_minor": minor,
                "state": RefundState.PROPOSED.value,
                "reason": request.reason,
                "refund_id": None,
                "proposed_by": call.actor,
                "proposed_at": call.now,
                "decided_by": None,
                "decided_at": None,
            }
            for id, minor in chosen.items()
        ],
    )
    await _update(call, row)
    return await _reload(call, row.id)


def _choose_refunds(
    request: ProposeReturnRefunds, charges: dict[int, SubjectCharge], left: dict[int, int]
) -> dict[int, int]:
    """Return the amounts to propose by charge."""
    named = [each.charge_id for each in request.refunds]
    faults = [
        FieldError(f"refunds.{at}.charge_id", "field.no_such_charge")
        for at, id in enumerate(named)
        if id not in charges or id in named[:at]
    ]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    wanted = {each.charge_id: each.amount_minor or left[each.charge_id] for each in request.refunds}
    chosen = wanted or {id: minor for id, minor in left.items() if minor}
    for id, minor in chosen.items():
        if not minor or minor > left[id]:
            raise REFUND_TOO_MUCH(transfer_id=id, left=str(Money(left[id], charges[id].currency)))
    return chosen


async def decide_refunds(call: Call, request: DecideReturnRefunds) -> OrderReturnRow:
    """Approve or reject proposed refunds, each once.

    A repeated decision changes nothing. Raises `NOT_FOUND`, `RETURN_REFUND_DECIDED` for another decision, and the
    errors of a refund.
    """
    row = await get_visible_return(call, request.order_return_id, lock=True)
    rows = {each.id: each for each in await store.list_refund_rows(call.work, [row.id])}
    for id in request.refund_ids:
        if id not in rows:
            raise record_not_found(refund_id=id)
    state = RefundState.APPROVED if request.decision == "approve" else RefundState.REJECTED
    pending = {id for id, each in rows.items() if each.state == RefundState.PROPOSED}
    for id in request.refund_ids:
        if id not in pending and rows[id].state != state:
            raise RETURN_REFUND_DECIDED(refund_id=id, status=rows[id].state)
    chosen = sorted((pending & set(request.refund_ids)) if request.refund_ids else pending)
    for id in chosen:
        given = await _refund(call, row, rows[id]) if state is RefundState.APPROVED else None
        values = {"state": state.value, "refund_id": given, "decided_by": call.actor, "decided_at": call.now}
        await ReturnRefundRow.update(call.work, id, values)
    if chosen:
        await _update(call, row)
    call.add_audit_subjects("order_return", row.id)
    return await _reload(call, row.id)


async def _refund(call: Call, row: OrderReturnRow, proposed: ReturnRefundRow) -> int:
    """Refund a proposed amount and return the transfer."""
    money = Money(proposed.amount_minor, proposed.currency)
    key = f"return:{row.id}:refund:{proposed.id}"
    return (await refund(call, proposed.charge_id, money, key=key, reason=proposed.reason)).transfer_id


async def _update(call: Call, row: OrderReturnRow, **values: Any) -> None:
    await OrderReturnRow.update(call.work, row.id, {**values, "updated_at": call.now})
    call.add_audit_subjects("order_return", row.id)
    call.add_audit_subjects("order", row.order_id)
    state = values.get("state", row.state)
    await call.publish(OrderReturnChanged(order_return_id=row.id, order_id=row.order_id, state=state))


async def _reload(call: Call, id: int) -> OrderReturnRow:
    found = await OrderReturnRow.get(call.work, id)
    assert found is not None  # inserted or locked before
    return found
