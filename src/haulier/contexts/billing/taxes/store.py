"""Tables and statements of tax rates, exemptions and settings."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated

from sqlalchemy import Index, String, UniqueConstraint, bindparam, or_, select

from haulier.contexts.billing.taxes.rules import CERTIFICATE_MAX, RATES_MAX, REGION_MAX, TAX_NAME_MAX, TaxRounding
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NOTE_MAX


class TaxRateRow(Record, table="tax_rate", items=[Index("ix_tax_rate_country", "client_id", "country", "valid_from")]):
    """Tax rate of a jurisdiction and product class within a period."""

    country: Annotated[str, String(2)]
    region: Annotated[str, String(REGION_MAX)] | None
    product_class: Annotated[str, String(20)] | None
    name: Annotated[str, String(TAX_NAME_MAX)]
    rate_ppm: int
    valid_from: date
    valid_until: date | None
    created_at: datetime


class TaxExemptionRow(
    Record, table="tax_exemption", items=[Index("ix_tax_exemption_customer", "client_id", "customer_id")]
):
    """Exemption of a customer within a period.

    Without a country it applies everywhere.
    """

    customer_id: Reference
    kind: Annotated[str, String(20)]
    certificate_number: Annotated[str, String(CERTIFICATE_MAX)]
    country: Annotated[str, String(2)] | None
    valid_from: date
    valid_until: date | None
    note: Annotated[str, String(NOTE_MAX)]
    created_at: datetime


class TaxSettingRow(Record, table="tax_setting", items=[UniqueConstraint("client_id")]):
    """Home jurisdiction of a business and rounding of its taxes.

    Changes to tax rates lock this row.
    """

    country: Annotated[str, String(2)] | None
    region: Annotated[str, String(REGION_MAX)] | None
    rounding: Annotated[str, String(10)]
    prices_include_tax: bool | None
    """None like true."""
    seeded_countries: list[str] | None
    """Countries whose initial rates were added when they became the country of the business."""
    updated_at: datetime


rates, exemptions, settings = TaxRateRow.table, TaxExemptionRow.table, TaxSettingRow.table
plain_columns(rates, "country", "region", "product_class", "name")
plain_columns(settings, "country", "region", "rounding", "seeded_countries")
personal_data(
    exemptions,
    RecordKind.ORDER_CONTACTS,
    by={"customer_id": PersonKey.USER},
    erased={"certificate_number": "", "note": ""},
    plain=("kind", "country"),
)

_r, _e = rates.c, exemptions.c
_day = bindparam("day", type_=_r.valid_from.type)
_country = bindparam("country", type_=_r.country.type)
_customer = bindparam("customer", type_=_e.customer_id.type)
_valid_rates = (
    select(rates).where(_r.valid_from <= _day, or_(_r.valid_until.is_(None), _r.valid_until >= _day)).limit(RATES_MAX)
)
_all_rates = (
    select(rates)
    .where(or_(_country.is_(None), _r.country == _country))
    .order_by(_r.country, _r.region, _r.name, _r.valid_from, _r.id)
    .limit(RATES_MAX)
)
_valid_exemptions = (
    select(exemptions)
    .where(_e.customer_id == _customer, _e.valid_from <= _day, or_(_e.valid_until.is_(None), _e.valid_until >= _day))
    .order_by(_e.id)
)
_all_exemptions = (
    select(exemptions)
    .where(or_(_customer.is_(None), _e.customer_id == _customer))
    .order_by(_e.customer_id, _e.valid_from, _e.id)
    .limit(RATES_MAX)
)
_settings = select(settings)


async def list_valid_rates(work: UnitOfWork, day: date) -> Sequence[TaxRateRow]:
    """Return the tax rates that are valid on a day."""
    return await work.all(_valid_rates, TaxRateRow, day=day)


async def list_rates(work: UnitOfWork, country: str | None = None) -> Sequence[TaxRateRow]:
    """Return all tax rates, or those of a country."""
    return await work.all(_all_rates, TaxRateRow, country=country)


async def list_valid_exemptions(work: UnitOfWork, customer_id: int, day: date) -> Sequence[TaxExemptionRow]:
    """Return a customer's exemptions that are valid on a day."""
    return await work.all(_valid_exemptions, TaxExemptionRow, customer=customer_id, day=day)


async def list_exemptions(work: UnitOfWork, customer_id: int | None) -> Sequence[TaxExemptionRow]:
    """Return all exemptions, or those of a customer."""
    return await work.all(_all_exemptions, TaxExemptionRow, customer=customer_id)


async def get_settings(work: UnitOfWork) -> TaxSettingRow | None:
    """Return the tax settings, or None if none are set."""
    return await work.first(_settings, TaxSettingRow)


async def lock_settings(work: UnitOfWork, now: datetime) -> TaxSettingRow:
    """Lock and return the tax settings. Insert the defaults if none are set."""
    first = {
        "country": None,
        "region": None,
        "rounding": TaxRounding.LINE.value,
        "prices_include_tax": True,
        "updated_at": now,
    }
    return await TaxSettingRow.lock_or_insert(work, first)
