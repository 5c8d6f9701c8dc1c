"""Tables and statements of exchange rates."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any

from sqlalchemy import Index, String, UniqueConstraint, bindparam, select

from haulier.contexts.billing.exchange_rates.rules import MAX_AGE_DAYS, RATE_MAX_LENGTH, KnownRate, RateSource
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class ExchangeRateRow(
    Record,
    table="exchange_rate",
    items=[
        UniqueConstraint("client_id", "base_currency", "quote_currency", "valid_on", "source"),
        Index("ix_exchange_rate_quote", "client_id", "quote_currency", "valid_on"),
    ],
):
    """Exchange rate of a day.

    1 unit of the base currency is `rate` units of the other. `rate` is an exact decimal as text.
    """

    base_currency: Annotated[str, String(3)]
    quote_currency: Annotated[str, String(3)]
    rate: Annotated[str, String(RATE_MAX_LENGTH)]
    valid_on: date
    source: Annotated[str, String(20)]
    created_at: datetime
    created_by: Reference | None


class ExchangeRateSettingRow(Record, table="exchange_rate_setting", items=[UniqueConstraint("client_id")]):
    """Settings of conversions. Changes to imported rates lock this row."""

    max_age_days: int
    daily_import: bool
    updated_at: datetime


rates, settings = ExchangeRateRow.table, ExchangeRateSettingRow.table
plain_columns(rates, "base_currency", "quote_currency", "rate", "source")

_r = rates.c
_first = bindparam("first", type_=_r.valid_on.type)
_last = bindparam("last", type_=_r.valid_on.type)
_usable = select(rates).where(in_param(_r.quote_currency, "currencies"), _r.valid_on >= _first, _r.valid_on <= _last)
_imported = select(rates).where(
    _r.source == bindparam("source"), _r.base_currency == bindparam("base"), _r.valid_on >= _first, _r.valid_on <= _last
)
_settings = select(settings)


async def list_usable_rates(
    work: UnitOfWork, currencies: Sequence[str], first: date, last: date
) -> Sequence[KnownRate]:
    """Return the rates to any of the currencies within a period."""
    rows = await work.all(_usable, ExchangeRateRow, currencies=list(currencies), first=first, last=last)
    return [
        KnownRate(
            base=row.base_currency,
            quote=row.quote_currency,
            rate=Decimal(row.rate),
            valid_on=row.valid_on,
            source=RateSource(row.source),
        )
        for row in rows
    ]


async def list_imported_rates(
    work: UnitOfWork, source: RateSource, base: str, first: date, last: date
) -> Sequence[ExchangeRateRow]:
    """Return the rates of a source within a period."""
    return await work.all(_imported, ExchangeRateRow, source=source.value, base=base, first=first, last=last)


async def list_rates_page(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[ExchangeRateRow], int]:
    """Return a page of matching rates, newest first, and their number."""
    clauses = [_r[name] == filters[name] for name in ("base_currency", "quote_currency", "source") if filters.get(name)]
    if filters.get("date_from"):
        clauses.append(_r.valid_on >= filters["date_from"])
    if filters.get("date_to"):
        clauses.append(_r.valid_on <= filters["date_to"])
    order = (_r.valid_on.desc(), _r.base_currency, _r.quote_currency, _r.source.desc())
    return await ExchangeRateRow.list_page(work, *clauses, order_by=order, limit=limit, offset=offset)


async def get_settings(work: UnitOfWork) -> ExchangeRateSettingRow | None:
    """Return the settings, or None if none are set."""
    return await work.first(_settings, ExchangeRateSettingRow)


async def lock_settings(work: UnitOfWork, now: datetime) -> ExchangeRateSettingRow:
    """Lock and return the settings. Insert the defaults if none are set."""
    first = {"max_age_days": MAX_AGE_DAYS, "daily_import": False, "updated_at": now}
    return await ExchangeRateSettingRow.lock_or_insert(work, first)
