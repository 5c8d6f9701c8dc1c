"""Orders, tariffs and quotes, as answers show them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from haulier.contexts.storage.storage_orders.actions import KeptStorageQuote
from haulier.contexts.storage.storage_orders.contract import (
    STORAGE,
    StorageChargeRecord,
    StorageOrderDetail,
    StorageOrderSummary,
    StoragePriceLine,
    StorageQuote,
    StorageTariffRecord,
    StorageTierRecord,
    StoredGoods,
)
from haulier.contexts.storage.storage_orders.queries import read_terms, stays_of_packages
from haulier.contexts.storage.storage_orders.rules import can_be_cancelled, can_be_paid, costs_of_order, local_day
from haulier.contexts.storage.storage_orders.store import (
    StorageChargeRow,
    StorageOrderRow,
    StoredCustomerRow,
    TariffRow,
)
from haulier.contexts.storage.stored_packages.queries import StoredPackageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def tariff_record(row: TariffRow) -> StorageTariffRecord:
    """Return a storage service and what it costs."""
    terms = read_terms(row.terms)
    return record(
        StorageTariffRecord,
        row,
        unit=terms.unit.value,
        interval=terms.interval.value,
        free_days=terms.free_days,
        price_tiers=[record(StorageTierRecord, tier) for tier in terms.tiers],
        minimum_price_minor=terms.minimum_minor,
        currency=terms.currency,
    )


def quote_record(call: Call, quote: KeptStorageQuote) -> StorageQuote:
    """Return a price that is honoured until it expires."""
    priced = quote.priced
    wish = priced.wish
    return StorageQuote(
        quote_id=quote.id,
        expires_at=call.local_time(quote.expires_at),
        service_code=wish.service_code,
        packages=wish.count,
        start_date=wish.start_date,
        end_date=wish.start_date + timedelta(days=wish.days),
        storage_price_minor=priced.price_minor,
        price_details=_lines(priced.stored_minor, priced.price_minor),
        currency=priced.terms.currency,
    )


def _lines(stored_minor: int, price_minor: int) -> list[StoragePriceLine]:
    lines = [StoragePriceLine(code="storage", amount=stored_minor)]
    if price_minor > stored_minor:
        lines.append(StoragePriceLine(code="minimum", amount=price_minor - stored_minor))
    return lines


def order_summary(call: Call, row: StorageOrderRow) -> StorageOrderSummary:
    """Return an order in a list."""
    return record(StorageOrderSummary, row, **_summary(call, row))


def order_detail(
    call: Call, row: StorageOrderRow, charges: Sequence[StorageChargeRow], stored: int
) -> StorageOrderDetail:
    """Return an order, with how many packages of it are in stock."""
    return record(
        StorageOrderDetail,
        row,
        **_summary(call, row),
        stored=stored,
        price_details=_lines(row.stored_minor, row.price_minor),
        charges=[record(StorageChargeRecord, each, amount=each.amount_minor) for each in charges],
        confirmed_at=call.local_time(row.confirmed_at),
        ended_at=call.local_time(row.ended_at),
    )


def _summary(call: Call, row: StorageOrderRow) -> dict[str, Any]:
    balance = row.owed_minor - row.paid_minor
    return {
        "storage_price_minor": row.price_minor,
        "owed_minor": row.owed_minor,
        "paid_amount": row.paid_minor,
        "balance_due_minor": balance,
        "can_be_paid": can_be_paid(row.status, balance) and not call.principal.hides(STORAGE),
        "can_be_cancelled": can_be_cancelled(row.status),
        "created_at": call.local_time(row.created_at),
    }


def stored_goods(
    call: Call,
    row: StoredCustomerRow,
    orders: Sequence[StorageOrderRow],
    packages: Mapping[int, Sequence[StoredPackageRow]],
) -> StoredGoods:
    """Return the goods of a customer in storage, and what they cost."""
    own = [each for each in orders if (each.customer_id, each.currency) == (row.customer_id, row.currency)]
    here = [package for order in own for package in packages[order.id] if package.left_at is None]
    costs = [
        costs_of_order(
            read_terms(order.terms),
            stays_of_packages(call, packages[order.id]),
            today=call.today,
            owed_minor=order.owed_minor,
        )
        for order in own
    ]
    return StoredGoods(
        customer_id=row.customer_id,
        storage_orders=len(own),
        packages=len(here),
        weight_g=sum(each.weight_g for each in here),
        volume_mm3=sum(each.length_mm * each.width_mm * each.height_mm for each in here),
        stored_since=min((local_day(each.received_at, call.time_zone) for each in here), default=None),
        month_minor=sum(each.month_minor for each in costs),
        next_charge_minor=sum(each.next_minor for each in costs),
        owed_minor=sum(order.owed_minor for order in own),
        balance_due_minor=sum(order.owed_minor - order.paid_minor for order in own),
        currency=row.currency,
    )
