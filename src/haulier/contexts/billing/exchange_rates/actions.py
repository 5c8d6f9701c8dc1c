"""Writes of exchange rates."""

from datetime import date
from typing import NamedTuple

from haulier.contexts.billing.exchange_rates import store
from haulier.contexts.billing.exchange_rates.rules import (
    ECB_BASE,
    EXCHANGE_RATE_IMPORTED,
    RateSource,
    ReadRate,
)
from haulier.contexts.billing.exchange_rates.store import ExchangeRateRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


class ImportedRates(NamedTuple):
    """Number of rates by their outcome."""

    added: int
    updated: int
    unchanged: int


async def set_rate(call: Call, base: str, quote: str, rate: str, valid_on: date) -> ExchangeRateRow:
    """Insert or replace the business's own rate of a day."""
    await store.lock_settings(call.work, call.now)
    key = {"base_currency": base, "quote_currency": quote, "valid_on": valid_on, "source": RateSource.MANUAL.value}
    before = await ExchangeRateRow.find_by(call.work, **key)
    if before is None:
        rate_id = await ExchangeRateRow.insert(call.work, **key, rate=rate, created_at=call.now, created_by=call.actor)
    else:
        rate_id = before.id
        await ExchangeRateRow.update(call.work, rate_id, {"rate": rate})
    call.add_audit_subjects("exchange_rate", rate_id)
    row = await ExchangeRateRow.get(call.work, rate_id)
    assert row is not None  # written above
    return row


async def delete_rate(call: Call, exchange_rate_id: int) -> None:
    """Delete one of the business's own rates.

    Raises `NOT_FOUND`, `EXCHANGE_RATE_IMPORTED`.
    """
    row = await ExchangeRateRow.get(call.work, exchange_rate_id)
    if row is None:
        raise record_not_found(exchange_rate_id=exchange_rate_id)
    if row.source != RateSource.MANUAL:
        raise EXCHANGE_RATE_IMPORTED()
    await ExchangeRateRow.delete(call.work, exchange_rate_id)
    call.add_audit_subjects("exchange_rate", exchange_rate_id)


async def import_rates(call: Call, rates: list[ReadRate], *, check_only: bool = False) -> ImportedRates:
    """Insert and correct rates of the ECB.

    A repeated import changes nothing. With `check_only`, nothing is written.
    """
    if not rates:
        return ImportedRates(0, 0, 0)
    if not check_only:
        await store.lock_settings(call.work, call.now)
    wanted = {(each.quote, each.valid_on): each.rate for each in rates}
    days = [each.valid_on for each in rates]
    rows = await store.list_imported_rates(call.work, RateSource.ECB, ECB_BASE, min(days), max(days))
    stored = {(row.quote_currency, row.valid_on): row for row in rows}
    new = [
        {
            "base_currency": ECB_BASE,
            "quote_currency": quote,
            "rate": rate,
            "valid_on": day,
            "source": RateSource.ECB.value,
            "created_at": call.now,
            "created_by": call.actor,
        }
        for (quote, day), rate in wanted.items()
        if (quote, day) not in stored
    ]
    changed = {stored[key].id: rate for key, rate in wanted.items() if key in stored and stored[key].rate != rate}
    if not check_only:
        if new:
            await ExchangeRateRow.insert_many(call.work, new)
        for rate_id, rate in changed.items():
            await ExchangeRateRow.update(call.work, rate_id, {"rate": rate})
    return ImportedRates(len(new), len(changed), len(wanted) - len(new) - len(changed))
