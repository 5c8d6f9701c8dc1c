"""Orders, tariffs and quotes, as answers show them."""

from collections.abc import Sequence
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
)
from haulier.contexts.storage.storage_orders.queries import read_terms
from haulier.contexts.storage.storage_orders.rules import can_be_cancelled, can_be_paid
from haulier.contexts.storage.storage_orders.store import StorageChargeRow, StorageOrderRow, TariffRow
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
        minimum_price=terms.minimum_minor,
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
        storage_price=priced.price_minor,
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
        "storage_price": row.price_minor,
        "owed_amount": row.owed_minor,
        "paid_amount": row.paid_minor,
        "balance_due": balance,
        "can_be_paid": can_be_paid(row.status, balance) and not call.principal.hides(STORAGE),
        "can_be_cancelled": can_be_cancelled(row.status),
        "created_at": call.local_time(row.created_at),
    }
