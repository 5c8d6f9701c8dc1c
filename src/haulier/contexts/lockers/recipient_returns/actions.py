"""Writes of recipients' returns, within the caller's transaction.

Lock order: orders first, then the return. Parcels in lockers are locked by their own actions.
"""

from typing import Any, cast

from msgspec import Struct
from pydantic import ValidationError

from haulier.contexts.identity.fields import Language
from haulier.contexts.identity.public import get_client_language, require_client
from haulier.contexts.lockers.drop_offs.actions import find_drop_off, plan_drop_off
from haulier.contexts.lockers.drop_offs.contract import DropOffAtLocker
from haulier.contexts.lockers.parcels.actions.steps import issue_code
from haulier.contexts.lockers.parcels.rules import LockerStatus
from haulier.contexts.lockers.recipient_returns import store
from haulier.contexts.lockers.recipient_returns.contract import CreateDeliveryReturn
from haulier.contexts.lockers.recipient_returns.queries import OpenOffer, find_offer
from haulier.contexts.lockers.recipient_returns.rules import (
    RETURN_BEGUN,
    RETURN_NOT_OFFERED,
    RETURN_REFUSED,
    RETURN_UNDER_WAY,
    ReturnOutcome,
    ReturnWay,
)
from haulier.contexts.lockers.recipient_returns.store import RecipientReturnRow
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderAddress, Package
from haulier.contexts.orders.public import (
    RETURN_QUANTITY_EXCEEDED,
    RecipientFacts,
    ReturnMethod,
    cancel_bought_delivery,
    create_orders,
    get_recipient_facts,
    list_order_pieces,
    record_order_step,
    record_recipient_return,
)
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError

BEGUN, GIVEN_UP, LAPSED = "return_begun", "return_given_up", "return_lapsed"
"""Names of the steps in the history of the delivered order."""
WEIGHT_MAX_G = 50_000_000
EMAIL_JOB = "lockers.return_letter"


class ReturnEmail(Struct, frozen=True):
    """Job that emails a recipient about a started return."""

    return_order_id: int


async def begin(
    call: Call, order: RecipientFacts, request: CreateDeliveryReturn
) -> tuple[RecipientReturnRow, str | None]:
    """Start the return of a delivered order with a new return order.

    Returns it with the code of its compartment. Raises `RETURN_BEGUN`, `RETURN_NOT_OFFERED`, `RETURN_REFUSED`,
    `INVALID_REQUEST`, `NOT_FOUND` for an unknown site, and `NO_FREE_BOX`.
    """
    locked = (await get_recipient_facts(call, [order.id], lock=True))[order.id]
    if any(each.outcome is None for each in await store.list_returns_of_order(call.work, order.id)):
        raise RETURN_BEGUN()
    offer = await find_offer(call, locked, request.size)
    if offer is None:
        raise RETURN_NOT_OFFERED()
    _require_offered(offer, request)
    return_order_id = await _order_return(call, locked, offer, request)
    row = await _insert(call, locked, request, return_order_id)
    await _record_return(call, row)
    code = (
        await _reserve_box(call, row, request, offer.settings.hold_hours) if request.way is ReturnWay.LOCKER else None
    )
    await record_order_step(call, order.id, BEGUN, request.reason)
    await call.enqueue(EMAIL_JOB, ReturnEmail(return_order_id))
    return await _reread(call, row), code


def _require_offered(offer: OpenOffer, request: CreateDeliveryReturn) -> None:
    faults = []
    if request.reason not in {each["code"] for each in offer.settings.reasons}:
        faults.append(FieldError("reason", "field.return_reason_unknown"))
    if request.way is ReturnWay.LOCKER and request.site_id is None:
        faults.append(FieldError("site_id", "field.missing"))
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
    if request.way not in offer.ways:
        raise RETURN_NOT_OFFERED()


async def _order_return(call: Call, order: RecipientFacts, offer: OpenOffer, request: CreateDeliveryReturn) -> int:
    """Create the order of a return, priced by the rate card of its customer."""
    weight_g = sum(piece.weight_g for piece in await list_order_pieces(call, [order.id]))
    language = get_client_language(await require_client(call.work, call.client_id))
    reason = _text_of(offer, request.reason, language)
    wanted = CreateOrder(
        type="P",
        shipper=_sender(order),
        packages=[Package(weight_g=min(weight_g, WEIGHT_MAX_G))],
        service=offer.settings.service,
        customer_id=order.customer_id,
        references={"return_of": order.tracking_number},
        note="\n".join(filter(None, (reason, request.note.strip()))),
        language=cast("Language | None", order.language),
    )
    try:
        (outcome,) = await create_orders(call, [wanted])
    except OperationError as error:
        raise RETURN_REFUSED() from error
    if outcome.row is None:
        raise RETURN_REFUSED() from outcome.error
    return outcome.row.id


def _sender(order: RecipientFacts) -> OrderAddress:
    """Return the recipient of an order as the sender of its return.

    Raises `RETURN_REFUSED` if erased.
    """
    known = {name: value for name, value in (order.consignee or {}).items() if name in OrderAddress.model_fields}
    try:
        return OrderAddress.model_validate(known)
    except ValidationError as error:
        raise RETURN_REFUSED() from error


def _text_of(offer: OpenOffer, code: str, language: str) -> str:
    texts = next(each["texts"] for each in offer.settings.reasons if each["code"] == code)
    return texts.get(language) or texts.get("en") or next(iter(texts.values()))


async def _insert(
    call: Call, order: RecipientFacts, request: CreateDeliveryReturn, return_order_id: int
) -> RecipientReturnRow:
    values: dict[str, Any] = {
        "order_id": order.id,
        "return_order_id": return_order_id,
        "customer_id": order.customer_id,
        "way": request.way.value,
        "reason": request.reason,
        "note": request.note.strip() or None,
        "begun_at": call.now,
    }
    try:
        async with call.savepoint():
            await RecipientReturnRow.insert(call.work, **values)
    except UniqueConflict:
        raise RETURN_BEGUN() from None
    row = await store.lock_return_of_order(call.work, return_order_id)
    assert row is not None
    return row


RETURN_METHODS = {ReturnWay.LOCKER: ReturnMethod.LOCKER, ReturnWay.PICKUP: ReturnMethod.OWN_FLEET}


async def _record_return(call: Call, row: RecipientReturnRow) -> None:
    """Record the return with its order.

    Raises `RETURN_BEGUN` if nothing is left to return.
    """
    method = RETURN_METHODS[ReturnWay(row.way)]
    try:
        await record_recipient_return(call, row.order_id, row.return_order_id, method, row.reason, row.note or "")
    except OperationError as error:
        if error.error_type is RETURN_QUANTITY_EXCEEDED:
            raise RETURN_BEGUN() from None
        raise


async def _reserve_box(call: Call, row: RecipientReturnRow, request: CreateDeliveryReturn, hold_hours: int) -> str:
    wanted = DropOffAtLocker(
        order_id=row.return_order_id, site_id=request.site_id or 0, size=request.size, hold_hours=hold_hours
    )
    parcel = await plan_drop_off(call, wanted)
    await RecipientReturnRow.update(call.work, row.id, {"site_id": parcel.site_id, "hand_in_until": parcel.until})
    return await issue_code(call, parcel)


async def renew_code(call: Call, row: RecipientReturnRow) -> str:
    """Issue a new code for the compartment of a return.

    Raises `RETURN_UNDER_WAY` if none is reserved.
    """
    parcel = await find_drop_off(call, row.return_order_id, lock=True) if row.outcome is None else None
    if parcel is None or parcel.status != LockerStatus.RESERVED:
        raise RETURN_UNDER_WAY()
    return await issue_code(call, parcel)


async def cancel(call: Call, row: RecipientReturnRow) -> RecipientReturnRow:
    """Cancel a return that is not handed in yet. Raises `RETURN_UNDER_WAY`."""
    cancelled = await cancel_bought_delivery(call, row.return_order_id, GIVEN_UP)
    locked = await _reread(call, row)
    if not cancelled or locked.handed_in_at is not None:
        raise RETURN_UNDER_WAY()
    if locked.outcome is None:
        await _end(call, locked, ReturnOutcome.CANCELLED, GIVEN_UP)
    return await _reread(call, row)


async def record_hand_in(call: Call, return_order_id: int) -> None:
    """Record the drop-off of a return. Idempotent."""
    row = await store.lock_return_of_order(call.work, return_order_id)
    if row is not None and row.handed_in_at is None:
        await RecipientReturnRow.update(call.work, row.id, {"handed_in_at": call.now})


async def on_box_lost(call: Call, return_order_id: int) -> None:
    """End a return whose compartment was released, unless it has another one.

    Idempotent.

    It can be started again. No driver is sent, since the recipient does not expect one.
    """
    if await find_drop_off(call, return_order_id) is not None:
        return
    if not await cancel_bought_delivery(call, return_order_id, LAPSED):
        return
    row = await store.lock_return_of_order(call.work, return_order_id)
    if row is not None and row.outcome is None and row.handed_in_at is None:
        await _end(call, row, ReturnOutcome.LAPSED, LAPSED)


async def on_order_cancelled(call: Call, return_order_id: int) -> None:
    """End a return whose return order the business cancelled. Idempotent."""
    row = await store.lock_return_of_order(call.work, return_order_id)
    if row is not None and row.outcome is None:
        await _end(call, row, ReturnOutcome.CANCELLED, GIVEN_UP)


async def _end(call: Call, row: RecipientReturnRow, outcome: ReturnOutcome, step: str) -> None:
    await RecipientReturnRow.update(call.work, row.id, {"outcome": outcome.value, "ended_at": call.now})
    await record_order_step(call, row.order_id, step, None)


async def _reread(call: Call, row: RecipientReturnRow) -> RecipientReturnRow:
    return await store.lock_return_of_order(call.work, row.return_order_id) or row
