"""Request and response models for tax reports."""

from datetime import date
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from haulier.contexts.billing.journal.contract import JournalPeriod
from haulier.contexts.billing.tax_reports.rules import TaxTreatment
from haulier.kernel.operations.answers import Priced, doc, sums_price


class GetTaxReport(JournalPeriod):
    """Period of a tax report, and its format."""

    format: Literal["csv"] | None = None
    """`csv` adds the report as CSV."""


class TaxReportLine(Priced):
    """Sums of a tax by jurisdiction, rate and category."""

    country: Annotated[str | None, doc("Country of the tax rate. Null if several have it.", "CA")]
    region: Annotated[str | None, doc("Province or state of the tax rate. Null for the whole country.", "ON")]
    tax_name: Annotated[str, doc("Name of the tax. Empty for untaxed amounts.", "HST")]
    rate_bp: Annotated[int, doc("Rate in hundredths of a percent, rounded.", 1300)]
    rate_ppm: Annotated[int, doc("Exact rate in parts per million.", 130_000)]
    treatment: TaxTreatment
    credit_currency: str
    net_minor: Annotated[int | UnsetType, sums_price("Amounts without tax, in minor units.")] = UNSET
    tax_minor: Annotated[int | UnsetType, sums_price("Tax in minor units.")] = UNSET
    gross_minor: Annotated[int | UnsetType, sums_price("Amounts with this tax, in minor units.")] = UNSET


class TaxReportTotal(Priced):
    """Sums of all documents in a currency."""

    credit_currency: str
    net_minor: Annotated[int | UnsetType, sums_price("Amounts without tax, in minor units.")] = UNSET
    tax_minor: Annotated[int | UnsetType, sums_price("Tax in minor units.")] = UNSET
    gross_minor: Annotated[int | UnsetType, sums_price("Amounts with tax, in minor units.")] = UNSET


class TaxReport(Priced):
    """Taxes of the invoices and credit notes of a period."""

    result: bool = True
    date_from: date
    date_to: date
    documents: Annotated[int, doc("Number of invoices and credit notes issued or voided in the period.")]
    lines: list[TaxReportLine]
    totals: list[TaxReportTotal]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, sums_price("Report as base64-encoded CSV, if `format` requests it.")] = UNSET
