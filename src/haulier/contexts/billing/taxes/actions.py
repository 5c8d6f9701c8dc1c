"""Writes of taxes for other families."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from haulier.contexts.billing.taxes import store
from haulier.contexts.billing.taxes.rules import (
    TAX_EXEMPTION_OVERLAPS,
    TAX_RATE_OVERLAPS,
    initial_rules,
    periods_overlap,
)
from haulier.contexts.billing.taxes.store import TaxExemptionRow, TaxRateRow, TaxSettingRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.errors import record_not_found

_SAME_RATE = ("country", "region", "product_class", "name")
_SAME_EXEMPTION = ("customer_id", "country")
Period = tuple[date, date | None]


async def save_rate(call: Call, values: dict[str, Any], tax_rate_id: int | None = None) -> TaxRateRow:
    """Insert or replace a tax rate. Raises `TAX_RATE_OVERLAPS`, `NOT_FOUND`."""
    await store.lock_settings(call.work, call.now)
    others = [row for row in await store.list_rates(call.work, values["country"]) if row.id != tax_rate_id]
    if _overlaps(others, values, _SAME_RATE):
        raise TAX_RATE_OVERLAPS(name=values["name"])
    if tax_rate_id is None:
        tax_rate_id = await TaxRateRow.insert(call.work, **values, created_at=call.now)
    elif not await TaxRateRow.update(call.work, tax_rate_id, values):
        raise record_not_found(tax_rate_id=tax_rate_id)
    call.add_audit_subjects("tax_rate", tax_rate_id)
    row = await TaxRateRow.get(call.work, tax_rate_id)
    assert row is not None  # written above
    return row


async def save_exemption(call: Call, values: dict[str, Any], tax_exemption_id: int | None = None) -> TaxExemptionRow:
    """Insert or replace an exemption. Raises `TAX_EXEMPTION_OVERLAPS`, `NOT_FOUND`."""
    await store.lock_settings(call.work, call.now)
    rows = await store.list_exemptions(call.work, values["customer_id"])
    if _overlaps([row for row in rows if row.id != tax_exemption_id], values, _SAME_EXEMPTION):
        raise TAX_EXEMPTION_OVERLAPS()
    if tax_exemption_id is None:
        tax_exemption_id = await TaxExemptionRow.insert(call.work, **values, created_at=call.now)
    elif not await TaxExemptionRow.update(call.work, tax_exemption_id, values):
        raise record_not_found(tax_exemption_id=tax_exemption_id)
    call.add_audit_subjects("tax_exemption", tax_exemption_id)
    row = await TaxExemptionRow.get(call.work, tax_exemption_id)
    assert row is not None  # written above
    return row


def _overlaps(rows: Iterable[Any], values: dict[str, Any], same: tuple[str, ...]) -> bool:
    period: Period = (values["valid_from"], values["valid_until"])
    return any(
        all(getattr(row, name) == values[name] for name in same)
        and periods_overlap((row.valid_from, row.valid_until), period)
        for row in rows
    )


async def add_initial_rates(work: UnitOfWork, country: str, valid_from: date, now: datetime) -> None:
    """Add the standard tax rates of a country that the business does not have yet."""
    await store.lock_settings(work, now)
    known = {(row.region, row.name) for row in await store.list_rates(work, country)}
    for rule in initial_rules(country):
        if (rule.region, rule.name) not in known:
            await TaxRateRow.insert(
                work,
                country=country,
                region=rule.region,
                product_class=None,
                name=rule.name,
                rate_ppm=rule.rate_ppm,
                valid_from=valid_from,
                valid_until=None,
                created_at=now,
            )


async def seed_rates(call: Call, country: str) -> None:
    """Add the standard rates of the country of the business, once for each country.

    Rates that were deleted are not added again.
    """
    row = await store.lock_settings(call.work, call.now)
    seeded = row.seeded_countries or []
    if country in seeded:
        return
    await TaxSettingRow.update(call.work, row.id, {"seeded_countries": [*seeded, country]})
    await add_initial_rates(call.work, country, call.today, call.now)
