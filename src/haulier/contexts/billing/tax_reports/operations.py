"""Operations on tax reports."""

from base64 import b64encode

from haulier.contexts.billing.journal.operations import CSV
from haulier.contexts.billing.tax_reports.contract import GetTaxReport, TaxReport
from haulier.contexts.billing.tax_reports.queries import load_tax_report
from haulier.contexts.billing.tax_reports.serializers import tax_report_csv
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope


@reads(
    "get_tax_report",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/billing/tax-report", representations=CSV), GraphQL("taxReport")),
)
async def get_tax_report(call: Call, request: GetTaxReport) -> TaxReport:
    """Get the tax report of a period.

    Without days, the period is the current month so far. Sums the invoices and credit notes by jurisdiction, rate and
    category, optionally as CSV. A voided invoice is subtracted on the day on which it was voided.
    """
    report = await load_tax_report(call, *request.days(call.today))
    if request.format:
        report.document = b64encode(tax_report_csv(report).encode()).decode()
    return report
