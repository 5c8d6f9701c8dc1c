"""Tax reports as CSV."""

from msgspec import UnsetType

from haulier.contexts.billing.tax_reports.contract import TaxReport, TaxReportLine
from haulier.kernel.values.csv_text import csv_text
from haulier.kernel.values.money import Money
from haulier.kernel.values.taxes import percent_text

HEADER = ("country", "region", "tax_name", "rate", "treatment", "currency", "net", "tax", "gross")


def tax_report_csv(report: TaxReport) -> str:
    """Return the lines of a report. Amounts are decimals."""
    return csv_text(HEADER, [_row(line) for line in report.lines])


def _row(line: TaxReportLine) -> tuple[object, ...]:
    amounts = (line.net_minor, line.tax_minor, line.gross_minor)
    return (
        *(line.country, line.region, line.tax_name, percent_text(line.rate_ppm), line.treatment, line.credit_currency),
        *(_decimal(each, line.credit_currency) for each in amounts),
    )


def _decimal(minor: int | UnsetType, currency: str) -> object:
    return Money(minor or 0, currency).major
