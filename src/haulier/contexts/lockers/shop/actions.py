"""Writes of the locker shop for other families.

Lock order: the parcel of the compartment, then the purchase (`queries.get_purchase`).
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.events import PaymentReturned
from haulier.contexts.billing.public import ChargeDetails, MoneySubject, charge
from haulier.contexts.billing.public import refund_remaining as give_charge_back
from haulier.contexts.lockers.devices.actions.commands import Door, request_command
from haulier.contexts.lockers.devices.queries import DeviceCommandRow, get_device, list_commands_of_parcels
from haulier.contexts.lockers.devices.rules import CommandState, DeviceCommand, DeviceState, DoorPurpose
from haulier.contexts.lockers.events import (
    DeviceCommandEnded,
    LockerBoxChanged,
    LockerParcelChanged,
    ShopPurchaseChanged,
)
from haulier.contexts.lockers.parcels.actions.codes import open_for_parcel
from haulier.contexts.lockers.parcels.actions.steps import WantedBox, occupy_box, revoke_code
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import IN_A_BOX, NO_FREE_BOX, LockerStatus, LockerStep
from haulier.contexts.lockers.shop import store
from haulier.contexts.lockers.shop.queries import get_item, get_product, get_purchase, get_settings, get_task
from haulier.contexts.lockers.shop.rules import (
    FILL_HOURS,
    GONE,
    KEEP_DAYS,
    LINK_LIFE,
    LIVE,
    PAID_FOR,
    RELEASE_GRACE,
    RESTOCK_TASK_CLOSED,
    SHOP_ITEM_IN_USE,
    SHOP_LIFE,
    SHOP_SOLD_OUT,
    SHOP_STEP_REFUSED,
    SILENCE_GRACE,
    EndReason,
    ItemStatus,
    RestockStatus,
    ShopStatus,
    ShopStep,
    item_after,
)
from haulier.contexts.lockers.shop.store import ShopItemRow, ShopLinkRow, ShopPurchaseRow
from haulier.contexts.lockers.sites.queries import get_box
from haulier.contexts.lockers.sites.rules import BoxState
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.values.ids import hash_token, make_opaque_token
from haulier.kernel.values.money import Money
from haulier.kernel.values.taxes import Tax, tax_within

DUE_JOB, RELEASE_JOB, SILENCE_JOB = "shop.due", "shop.release", "shop.silence"
EMAIL_JOB, FORGET_JOB = "shop.letter", "shop.forget"
READY, REFUNDED = "ready", "refunded"
CUSTOMER, GUEST, CABINET = "customer", "guest", "cabinet"
MONEY_KIND = "shop_purchase"
CREDIT, CARD = "credit", "card"


class DuePurchase(Struct, frozen=True):
    """Job for a purchase with a due deadline."""

    purchase_id: int


class ShopEmail(Struct, frozen=True):
    """Email to a buyer: `ready` (with a code) or `refunded`."""

    purchase_id: int
    occasion: str


class Buyer(Struct, frozen=True, kw_only=True):
    """A buyer, the sales channel and the customer whose credit pays."""

    channel: str
    customer_id: int
    email: str | None = None
    device_id: int | None = None
    frame_sequence: int | None = None


async def reserve_piece(call: Call, site_id: int, product_id: int, buyer: Buyer) -> ShopPurchaseRow:
    """Reserve an item of a product for a buyer. Raises `NOT_FOUND`, `SHOP_SOLD_OUT`."""
    product = await get_product(call, product_id)
    item = None if product.retired else await store.reserve_item(call.work, site_id, product.id, call.today)
    if item is None:
        raise SHOP_SOLD_OUT(product=product.name)
    reserved_until = call.now + timedelta(minutes=(await get_settings(call)).reserve_min)
    copied = ("shelf_price_minor", "shelf_currency", "tax_name", "tax_basis_points")
    purchase_id = await store.insert_purchase(
        call.work,
        {
            **{name: getattr(product, name) for name in copied},
            "tax_minor": tax_within(product.shelf_price_minor, product.tax_basis_points),
            "product_id": product.id,
            "product_name": product.name,
            "item_id": item.id,
            "parcel_id": item.parcel_id,
            "site_id": site_id,
            "channel": buyer.channel,
            "customer_id": buyer.customer_id,
            "buyer_email": buyer.email,
            "language": call.language,
            "device_id": buyer.device_id,
            "frame_sequence": buyer.frame_sequence,
            "status": ShopStatus.RESERVED.value,
            "taken_after_refund": False,
            "reserved_until": reserved_until,
            "created_at": call.now,
        },
    )
    await call.enqueue(DUE_JOB, DuePurchase(purchase_id), run_at=reserved_until)
    if buyer.email is not None:
        await call.enqueue(FORGET_JOB, DuePurchase(purchase_id), run_at=call.now + LINK_LIFE)
    row = await get_purchase(call, purchase_id)
    await _publish_changed(call, row)
    return row


async def make_link(call: Call, purchase_id: int) -> str:
    """Create a link to a purchase.

    Only its digest is stored; earlier links stay valid.
    """
    link = make_opaque_token("hlshop")
    values = {"purchase_id": purchase_id, "token_sha256": hash_token(link), "expires_at": call.now + LINK_LIFE}
    await ShopLinkRow.insert(call.work, **values)
    return link


def _taxes_of_purchase(row: ShopPurchaseRow) -> tuple[Tax, ...]:
    if not row.tax_basis_points:
        return ()
    return (Tax(name=row.tax_name, rate_bp=row.tax_basis_points, amount_minor=row.tax_minor),)


async def pay_purchase(call: Call, row: ShopPurchaseRow, paid_by: str) -> ShopPurchaseRow:
    """Charge the price to the buyer's credit. A job sends the code, or refunds.

    A price paid by card is charged whatever the account owes. Raises `SHOP_STEP_REFUSED` if it is no longer reserved,
    and `CREDIT_INSUFFICIENT`.
    """
    SHOP_LIFE.next_status_or_raise(ShopStep.PAY, ShopStatus(row.status))
    if row.reserved_until <= call.now:
        raise SHOP_STEP_REFUSED(step=ShopStep.PAY.value, status=ShopStatus.EXPIRED.value)
    money, subject = Money(row.shelf_price_minor, row.shelf_currency), MoneySubject(MONEY_KIND, row.id)
    posted = await charge(
        call,
        row.customer_id,
        money,
        key=f"shop_purchase:{row.id}:pay",
        subject=subject,
        line=ChargeDetails(
            item=row.product_name, reference=row.site_name, serviced_on=call.today, taxes=_taxes_of_purchase(row)
        ),
        beyond_limit=paid_by == CARD,
    )
    paid = {"paid_by": paid_by, "paid_at": call.now, "transfer_id": posted.transfer_id, "sold_on": call.today}
    changed = await _apply_step(call, row, ShopStep.PAY, paid)
    await call.enqueue(RELEASE_JOB, DuePurchase(row.id))
    await call.enqueue(DUE_JOB, DuePurchase(row.id), run_at=call.now + RELEASE_GRACE)
    return changed


async def release_purchase(call: Call, row: ShopPurchaseRow) -> None:
    """Release a paid purchase: send its code, or open the door at a locker.

    Refund it on failure.
    """
    if row.status != ShopStatus.PAID:
        return
    parcel = await get_parcel(call, row.parcel_id)
    if parcel.status != LockerStatus.DEPOSITED:
        await refund_purchase(call, row, EndReason.BOX_EMPTY)
        return
    if row.opener_id is None or (await get_device(call, row.opener_id)).status != DeviceState.ACTIVE:
        await refund_purchase(call, row, EndReason.NOT_RELEASED)
        return
    pickup_until = call.now + timedelta(hours=(await get_settings(call)).pickup_hours)
    await _apply_step(call, row, ShopStep.RELEASE, {"ready_at": call.now, "pickup_until": pickup_until})
    await call.enqueue(DUE_JOB, DuePurchase(row.id), run_at=pickup_until)
    if row.channel == CABINET:
        door = Door(box_id=parcel.box_id, number=parcel.box, purpose=DoorPurpose.COLLECT, parcel_id=parcel.id)
        await request_command(call, row.opener_id, DeviceCommand.OPEN, door=door)
    else:
        await call.enqueue(EMAIL_JOB, ShopEmail(row.id, READY))


async def collect_purchase(call: Call, row: ShopPurchaseRow) -> None:
    """Mark a purchase as collected once the locker reports that the door opened."""
    await _apply_step(call, row, ShopStep.COLLECT, {"collected_at": call.now})


async def expire_purchase(call: Call, row: ShopPurchaseRow, reason: EndReason) -> None:
    """Expire an unpaid purchase and put its item back on sale.

    Raises `SHOP_STEP_REFUSED`.
    """
    await _apply_step(call, row, ShopStep.EXPIRE, {"end_reason": reason.value})
    await _free_item(call, row, reason)


async def refund_purchase(call: Call, row: ShopPurchaseRow, reason: EndReason, note: str | None = None) -> None:
    """Refund a purchase once and revoke its code. Raises `SHOP_STEP_REFUSED`."""
    # Checked first: the buyer may be at the open door during the refund, so the item is not resold.
    opening = row.status == ShopStatus.READY and await is_being_opened(call, row)
    await _apply_step(call, row, ShopStep.REFUND, {"end_reason": reason.value, "note": note})
    assert row.transfer_id is not None
    await give_charge_back(call, row.transfer_id, key=f"shop_purchase:{row.id}:refund")
    minor = row.shelf_price_minor
    returned = PaymentReturned(purpose=MONEY_KIND, subject_id=row.id, amount_minor=minor, occasion="refund")
    await call.publish(returned)
    parcel = await get_parcel(call, row.parcel_id)
    if LockerStatus(parcel.status) in IN_A_BOX:
        await revoke_code(call, parcel)
    await _free_item(call, row, EndReason.DOOR_SILENT if opening and reason not in GONE else reason)
    await call.enqueue(EMAIL_JOB, ShopEmail(row.id, REFUNDED))


async def is_being_opened(call: Call, row: ShopPurchaseRow) -> bool:
    """Return True if the door is open or may be: the command has no outcome yet."""
    since = row.ready_at or call.now
    opened = (await list_commands_of_parcels(call, [row.parcel_id])).get(row.parcel_id, [])
    return any(
        each.purpose == DoorPurpose.COLLECT and each.created_at >= since and each.status != CommandState.FAILED
        for each in opened
    )


async def _free_item(call: Call, row: ShopPurchaseRow, reason: EndReason) -> None:
    after = item_after(reason, ShopStatus(row.status))
    if after is not None:
        await store.update_item(call.work, row.item_id, {"status": after.value})


async def _apply_step(call: Call, row: ShopPurchaseRow, step: ShopStep, values: dict[str, Any]) -> ShopPurchaseRow:
    reached = SHOP_LIFE.next_status_or_raise(step, ShopStatus(row.status))
    ended = {} if reached in LIVE or row.ended_at else {"ended_at": call.now}
    await store.update_purchase(call.work, row.id, {**values, **ended, "status": reached.value})
    changed = await get_purchase(call, row.id)
    await _publish_changed(call, changed)
    return changed


async def _publish_changed(call: Call, row: ShopPurchaseRow) -> None:
    call.add_audit_subjects("shop_purchase", row.id)
    await call.publish(
        ShopPurchaseChanged(
            purchase_id=row.id,
            site_id=row.site_id,
            product_id=row.product_id,
            status=row.status,
            customer_id=row.customer_id,
        )
    )


def sold_item(call: Call) -> dict[str, Any]:
    """Return the columns of a collected item."""
    return {"status": ItemStatus.SOLD.value, "ended_at": call.now}


MARK = "SHOP-"
"""Prefix of references of shop compartments, to skip other parcels."""
NOBODY: dict[str, Any] = dict.fromkeys(
    ("order_id", "customer_id", "recipient_name", "recipient_email", "recipient_phone", "language"), None
)


async def fill_box(call: Call, task_id: int, expires_on: date | None) -> tuple[int, DeviceCommandRow]:
    """Open a free compartment for the next item of a task.

    The item is put on sale once the locker reports that the door opened. Raises `NOT_FOUND`, `RESTOCK_TASK_CLOSED`,
    `NO_FREE_BOX`, `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    task = await get_task(call, task_id, lock=True)
    under_way = await store.count_filling(call.work, task.id)
    if task.status != RestockStatus.OPEN or task.filled + under_way >= task.quantity:
        raise RESTOCK_TASK_CLOSED(filled=task.filled + under_way, quantity=task.quantity)
    product = await get_product(call, task.product_id)
    until = expires_on or (call.today + timedelta(days=product.shelf_days) if product.shelf_days else None)
    if until and until < call.today:
        raise INVALID_REQUEST.for_fields(FieldError("expires_on", "field.until_over"))
    wanted = WantedBox(
        site_id=task.site_id,
        size=product.size,
        hold_hours=FILL_HOURS,
        keep_days=(until - call.today).days + 1 if until else KEEP_DAYS,
        reference=f"{MARK}{product.code}",
    )
    parcel = await occupy_box(call, wanted, NOBODY)
    if parcel is None:
        raise NO_FREE_BOX(size=product.size.upper())
    item_id = await store.insert_item(
        call.work,
        {
            "product_id": product.id,
            "site_id": task.site_id,
            "parcel_id": parcel.id,
            "task_id": task.id,
            "status": ItemStatus.FILLING.value,
            "expires_on": until,
            "created_at": call.now,
        },
    )
    call.add_audit_subjects("shop_item", item_id)
    return item_id, await open_for_parcel(call, parcel, LockerStep.DEPOSIT, DoorPurpose.DEPOSIT)


async def remove_item(call: Call, item_id: int) -> DeviceCommandRow:
    """Open the compartment of an item to remove it, and take it off sale.

    Raises `NOT_FOUND`, `SHOP_ITEM_IN_USE`, `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    item = await get_item(call, item_id, lock=True)
    if item.status not in (ItemStatus.AVAILABLE, ItemStatus.BLOCKED):
        raise SHOP_ITEM_IN_USE(status=item.status)
    parcel = await get_parcel(call, item.parcel_id)
    command = await open_for_parcel(call, parcel, LockerStep.REMOVE, DoorPurpose.RETRIEVE)
    await store.update_item(call.work, item.id, {"status": ItemStatus.BLOCKED.value})
    call.add_audit_subjects("shop_item", item.id)
    return command


async def put_on_sale(call: Call, item_id: int) -> None:
    """Put an inspected item back on sale.

    Raises `NOT_FOUND`, or `SHOP_ITEM_IN_USE` without a working compartment.
    """
    item = await get_item(call, item_id, lock=True)
    parcel = await get_parcel(call, item.parcel_id)
    box = await get_box(call, parcel.box_id)
    if item.status != ItemStatus.BLOCKED or parcel.status != LockerStatus.DEPOSITED or not box.usable:
        raise SHOP_ITEM_IN_USE(status=item.status if box.usable else box.state)
    await store.update_item(call.work, item.id, {"status": ItemStatus.AVAILABLE.value})
    call.add_audit_subjects("shop_item", item.id)


@before_commit(LockerParcelChanged, DeviceCommandEnded, LockerBoxChanged)
async def sync_shop_items_with_boxes(call: Call, events: Sequence[DomainEvent]) -> None:
    """Update shop items from changes of their compartments in one transaction."""
    for event in events:
        if isinstance(event, LockerParcelChanged) and (event.reference or "").startswith(MARK):
            await _on_parcel_changed(call, event)
        elif isinstance(event, DeviceCommandEnded) and event.parcel_id and event.purpose == DoorPurpose.COLLECT:
            await _on_door_ended(call, event)
        elif isinstance(event, LockerBoxChanged) and event.state != BoxState.READY:
            await store.block_item_of_box(call.work, event.box_id)


async def _on_door_ended(call: Call, event: DeviceCommandEnded) -> None:
    if event.status == CommandState.DONE:  # handled by the event of the collected parcel
        return
    row = await _purchase_of(call, event.parcel_id or 0)
    if row is None or row.status != ShopStatus.READY:
        return
    if event.status == CommandState.FAILED:
        await refund_purchase(call, row, EndReason.DOOR_STUCK)
    else:
        await call.enqueue(SILENCE_JOB, DuePurchase(row.id), run_at=call.now + SILENCE_GRACE)


async def _on_parcel_changed(call: Call, event: LockerParcelChanged) -> None:
    item = await store.find_item_of_parcel(call.work, event.parcel_id)
    if item is None:
        return
    match LockerStatus(event.status):
        case LockerStatus.DEPOSITED if item.status == ItemStatus.FILLING:
            await _on_filled(call, item)
        case LockerStatus.COLLECTED:
            await _on_collected(call, item)
        case LockerStatus.EXPIRED:
            await _end_purchase(call, item)
            await store.update_item(call.work, item.id, {"status": ItemStatus.BLOCKED.value})
        case LockerStatus.REMOVED | LockerStatus.CANCELLED:
            await _end_purchase(call, item)
            removed = {"status": ItemStatus.REMOVED.value, "ended_at": call.now}
            await store.update_item(call.work, item.id, removed)
        case _:
            return


async def _on_filled(call: Call, item: ShopItemRow) -> None:
    for_sale = {"status": ItemStatus.AVAILABLE.value, "available_at": call.now}
    await store.update_item(call.work, item.id, for_sale)
    task = await get_task(call, item.task_id, lock=True)
    filled = task.filled + 1
    done = filled >= task.quantity and task.status == RestockStatus.OPEN
    closed = {"status": RestockStatus.DONE.value, "closed_at": call.now} if done else {}
    await store.update_task(call.work, task.id, {"filled": filled, **closed})


async def _on_collected(call: Call, item: ShopItemRow) -> None:
    """Mark an item as collected.

    After an earlier refund, staff see the mark `taken_after_refund`.
    """
    row = await _purchase_of(call, item.parcel_id)
    if row is not None and row.status == ShopStatus.READY:
        await collect_purchase(call, row)
    elif row is not None and row.status == ShopStatus.REFUNDED:
        await store.update_purchase(call.work, row.id, {"taken_after_refund": True})
    else:
        await _end_purchase(call, item)
    await store.update_item(call.work, item.id, sold_item(call))


async def _end_purchase(call: Call, item: ShopItemRow) -> None:
    row = await _purchase_of(call, item.parcel_id)
    if row is None:
        return
    if row.status == ShopStatus.RESERVED:
        await expire_purchase(call, row, EndReason.BOX_EMPTY)
    elif ShopStatus(row.status) in PAID_FOR:
        await refund_purchase(call, row, EndReason.BOX_EMPTY)


async def _purchase_of(call: Call, parcel_id: int) -> ShopPurchaseRow | None:
    purchase_id = await store.find_purchase_of_parcel(call.work, parcel_id)
    return await get_purchase(call, purchase_id, lock=True) if purchase_id else None
