"""Writes of storage orders for other families."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from msgspec import Struct, to_builtins

from haulier.contexts.billing.public import ChargeDetails, MoneySubject, ProductClass, charge, refund_remaining
from haulier.contexts.storage.events import StorageCharged, StorageOrderChanged
from haulier.contexts.storage.storage_orders import store
from haulier.contexts.storage.storage_orders.contract import STORAGE, CreateStorageOrder, QuoteStorageOrder, StorageWish
from haulier.contexts.storage.storage_orders.queries import (
    PricedWish,
    price_storage,
    read_terms,
    requested_stays,
    stays_of_packages,
)
from haulier.contexts.storage.storage_orders.rules import (
    NOTHING_OWED,
    QUOTE_LIFE,
    STORAGE_QUOTE_EXPIRED,
    StorageOrderStatus,
    StorageOrderStep,
    can_be_paid,
    first_of_next_month,
    next_storage_status,
    price_of_stays,
)
from haulier.contexts.storage.storage_orders.store import StorageChargeRow, StorageOrderRow, StorageQuoteRow
from haulier.contexts.storage.stored_packages.queries import list_packages_of_order
from haulier.kernel.call import Call, call_as
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import CONFLICT, record_not_found
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.money import Money


async def pay_balance(call: Call, row: StorageOrderRow) -> None:
    """Pay the amount due from the wallet, once. The row must be locked.

    Raises `NOTHING_OWED`, `CREDIT_INSUFFICIENT`.
    """
    balance = row.owed_minor - row.paid_minor
    if not can_be_paid(row.status, balance):
        raise NOTHING_OWED()
    payment = row.payments + 1
    posted = await charge(
        call,
        row.customer_id,
        Money(balance, row.currency),
        key=f"storage_order:{row.id}:payment:{payment}",
        subject=MoneySubject("storage_order", row.id, STORAGE),
        line=ChargeDetails(
            item=row.service_name,
            reference=row.order_ref,
            serviced_on=row.charged_to or row.start_date,
            product_class=ProductClass.STORAGE,
        ),
    )
    paid = {"paid_minor": row.owed_minor, "payments": payment, "transfer_id": posted.transfer_id}
    await store.update_order(call.work, row.id, paid)


async def refund_payment(call: Call, row: StorageOrderRow) -> None:
    """Refund a cancelled order: one payment at most before anything is stored."""
    if row.transfer_id is not None:
        await refund_remaining(call, row.transfer_id, key=f"storage_order:{row.id}:refund")


NOT_KEPT = 0


class KeptStorageQuote(Struct, frozen=True, kw_only=True):
    """A stored price."""

    id: int
    priced: PricedWish
    expires_at: datetime


async def store_quote(context: RequestContext, request: QuoteStorageOrder) -> KeptStorageQuote:
    """Price a request and store the quote, except in a dry run.

    Runs before a transaction: a read writes nothing in its own.
    """
    app, principal = context.app, context.principal
    async with app.database.write(principal.client_id) as work:
        call = call_as(app, principal, work, language=context.language)
        priced = await price_storage(call, request)
        expires_at = call.now + QUOTE_LIFE
        if context.dry_run:
            return KeptStorageQuote(id=NOT_KEPT, priced=priced, expires_at=expires_at)
        return KeptStorageQuote(id=await _insert_quote(call, priced, expires_at), priced=priced, expires_at=expires_at)


async def _insert_quote(call: Call, priced: PricedWish, expires_at: datetime) -> int:
    return await StorageQuoteRow.insert(
        call.work,
        customer_id=call.actor or 0,
        service_code=priced.service.service_code,
        service_name=priced.service.name,
        wish=priced.wish.model_dump(mode="json"),
        terms=to_builtins(priced.terms),
        price_minor=priced.price_minor,
        created_at=call.now,
        expires_at=expires_at,
    )


async def get_own_quote(call: Call, quote_id: int) -> StorageQuoteRow:
    """Return a quote of the caller. Raises `NOT_FOUND`."""
    row = await StorageQuoteRow.get(call.work, quote_id)
    if row is None or row.customer_id != call.actor:
        raise record_not_found(quote_id=quote_id)
    return row


def require_in_force(call: Call, row: StorageQuoteRow) -> StorageWish:
    """Return the quoted request. Raises `STORAGE_QUOTE_EXPIRED`."""
    if row.expires_at <= call.now:
        raise STORAGE_QUOTE_EXPIRED()
    return StorageWish.model_validate(row.wish)


BOOKING, PERIOD = "booking", "period"


async def create_order(call: Call, request: CreateStorageOrder) -> tuple[StorageOrderRow, bool]:
    """Create an order from a quote or a request. Return it, and True if it existed.

    A quote creates one order. Raises `NOT_FOUND`, `STORAGE_QUOTE_EXPIRED`, and `INVALID_REQUEST` for a past day.
    """
    if request.quote_id is None:
        assert request.storage is not None  # the request's own validator requires it
        priced = await price_storage(call, request.storage, at="storage.")
        values = _order_values(
            request.storage, priced.service.service_code, priced.service.name, to_builtins(priced.terms)
        )
        return await _insert(call, request, values | {"price_minor": priced.price_minor}), False
    quote = await get_own_quote(call, request.quote_id)
    if before := await StorageOrderRow.find_by(call.work, quote_id=quote.id):
        return before, True
    values = _order_values(require_in_force(call, quote), quote.service_code, quote.service_name, quote.terms)
    try:
        async with call.savepoint():
            return await _insert(call, request, values | {"price_minor": quote.price_minor}), False
    except UniqueConflict:
        made = await StorageOrderRow.find_by(call.work, quote_id=quote.id)
        if made is None:
            raise CONFLICT() from None
        return made, True


def _order_values(wish: StorageWish, code: str, name: str, terms: dict[str, Any]) -> dict[str, Any]:
    until = wish.start_date + timedelta(days=wish.days)
    tariff = read_terms(terms)
    return {
        "service_code": code,
        "service_name": name,
        "terms": terms,
        "currency": tariff.currency,
        "packages": wish.count,
        "start_date": wish.start_date,
        "end_date": until,
        "stored_minor": price_of_stays(tariff, requested_stays(wish), until),
    }


async def _insert(call: Call, request: CreateStorageOrder, values: dict[str, Any]) -> StorageOrderRow:
    storage_order_id = await StorageOrderRow.insert(
        call.work,
        **values,
        customer_id=call.actor or 0,
        status=StorageOrderStatus.PENDING.value,
        quote_id=request.quote_id,
        order_ref=request.order_ref,
        note=request.note,
        owed_minor=values["price_minor"],
        paid_minor=0,
        payments=0,
        created_at=call.now,
    )
    await StorageChargeRow.insert(
        call.work,
        storage_order_id=storage_order_id,
        kind=BOOKING,
        period_start=values["start_date"],
        period_end=values["end_date"],
        amount_minor=values["price_minor"],
        created_at=call.now,
    )
    row = await require_order(call, storage_order_id)
    await publish_order_changed(call, row)
    return row


async def apply_step(call: Call, row: StorageOrderRow, step: StorageOrderStep, **values: Any) -> StorageOrderRow:
    """Move an order to its next status with further columns.

    Raises `STORAGE_STEP_REFUSED`.
    """
    status = next_storage_status(step, row.status)
    await store.update_order(call.work, row.id, {**values, "status": status.value})
    changed = await require_order(call, row.id)
    if changed.status != row.status:
        await publish_order_changed(call, changed)
    call.add_audit_subjects("storage_order", row.id)
    return changed


async def publish_order_changed(call: Call, row: StorageOrderRow) -> None:
    """Publish a new order or status."""
    call.add_audit_subjects("storage_order", row.id)
    await call.publish(StorageOrderChanged(storage_order_id=row.id, customer_id=row.customer_id, status=row.status))


async def require_order(call: Call, storage_order_id: int) -> StorageOrderRow:
    """Return an order as it is now. Raises `NOT_FOUND`."""
    row = await StorageOrderRow.get(call.work, storage_order_id)
    if row is None:
        raise record_not_found(storage_order_id=storage_order_id)
    return row


CHARGE_STORAGE_JOB = "charge_storage"


class ChargeStorage(Struct):
    """Job arguments: an order whose month is over."""

    storage_order_id: int


async def charge_until(call: Call, row: StorageOrderRow, until: date) -> StorageOrderRow:
    """Charge an order for its storage before a day, once for each day.

    The row must be locked. The price of all days together is rounded, and earlier charges are deducted: no period gains
    or loses by rounding.
    """
    if row.charged_to is not None and until <= row.charged_to:
        return row
    packages = await list_packages_of_order(call, row.id)
    stays = stays_of_packages(call, packages)
    cost = price_of_stays(read_terms(row.terms), stays, until)
    values: dict[str, object] = {"charged_to": until}
    if cost > row.owed_minor:
        await StorageChargeRow.insert(
            call.work,
            storage_order_id=row.id,
            kind=PERIOD,
            period_start=row.charged_to or min(stay.began for stay in stays),
            period_end=until,
            amount_minor=cost - row.owed_minor,
            created_at=call.now,
        )
        values["owed_minor"] = cost
        await call.publish(StorageCharged(storage_order_id=row.id, customer_id=row.customer_id))
    await store.update_order(call.work, row.id, values)
    return await require_order(call, row.id)


async def charge_next_month(call: Call, storage_order_id: int) -> None:
    """Enqueue the charge for the next month in the business's time zone."""
    begins = first_of_next_month(call.today)
    midnight = datetime.combine(begins, time.min, tzinfo=call.time_zone).astimezone(UTC)
    await call.enqueue(CHARGE_STORAGE_JOB, ChargeStorage(storage_order_id), run_at=midnight)
