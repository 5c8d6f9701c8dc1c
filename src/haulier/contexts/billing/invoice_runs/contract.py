"""Request and response models for invoice runs."""

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.billing.invoice_runs.rules import CUSTOMERS_MAX, InvoiceCycle, RunOutcome, RunWarning
from haulier.contexts.billing.invoices.contract import InvoiceTax
from haulier.kernel.operations.answers import Answer, Priced, doc, sums_price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

CustomerIds = Annotated[list[RecordId], Field(min_length=1, max_length=CUSTOMERS_MAX)]


class PreviewInvoiceRun(PageRequest):
    """Customers and period of an invoice run."""

    cycle: InvoiceCycle | None = None
    """Filter by billing cycle. If omitted, customers of every cycle."""
    until: Day | None = None
    """Last day of the charges. Defaults to the end of the cycle's newest complete period, or to yesterday."""
    customer_ids: CustomerIds | None = None
    """Filter by customers."""


class StartInvoiceRun(Request):
    """Customers and period to invoice."""

    cycle: InvoiceCycle | None = None
    """Filter by billing cycle. If omitted, customers of every cycle."""
    until: Day | None = None
    """Last day of the charges. Defaults to the end of the cycle's newest complete period, or to yesterday."""
    customer_ids: CustomerIds | None = None
    """Filter by customers."""
    send: bool = True
    """If true, email each invoice once it is issued. Otherwise send them later."""


class InvoiceRunRef(Request):
    """Reference to an invoice run."""

    invoice_run_id: RecordId
    """ID of the invoice run."""


class ListInvoiceRuns(PageRequest):
    """Page of invoice runs."""


class ListInvoiceRunCustomers(PageRequest):
    """Filters of customers of an invoice run."""

    invoice_run_id: RecordId
    """ID of the invoice run."""
    outcome: RunOutcome | None = None
    """Filter by outcome."""


class PreviewSum(Priced):
    """Sum of a preview in one currency."""

    credit_currency: str
    customers: Annotated[int, doc("Number of customers.")]
    lines: Annotated[int, doc("Number of invoice lines.")]
    total_minor: Annotated[int | UnsetType, sums_price("Amount in minor units, tax included.")] = UNSET


class PreviewedInvoice(Priced):
    """Invoice that a run will issue to a customer."""

    customer_id: int
    name: str
    credit_currency: str
    lines: Annotated[int, doc("Number of invoice lines.")]
    pending: Annotated[int, doc("Lines that the run charges first, such as delivered orders.")]
    net_minor: Annotated[int | UnsetType, sums_price("Amount without taxes, in minor units.")] = UNSET
    tax_minor: Annotated[int | UnsetType, sums_price("Tax included in the total.")] = UNSET
    total_minor: Annotated[int | UnsetType, sums_price("Amount in minor units, tax included.")] = UNSET
    covered_minor: Annotated[int | UnsetType, sums_price("Part that existing credit pays.")] = UNSET
    taxes: Annotated[list[InvoiceTax] | UnsetType, sums_price("Taxes by name and rate.")] = UNSET
    warnings: Annotated[list[RunWarning], doc("Reasons to check the customer before the run.")]


class InvoiceRunPreview(PagedAnswer):
    """Invoices that a run will issue, by customer, and their sums."""

    until: Annotated[date, doc("Last day of the charges.")]
    sums: Annotated[list[PreviewSum], doc("Sums of all customers, by currency.")]
    customers: list[PreviewedInvoice]


class InvoiceRunSum(Priced):
    """Invoices of a run in one currency."""

    credit_currency: str
    invoices: Annotated[int, doc("Number of invoices.")]
    sent: Annotated[int, doc("Number of invoices sent by email.")]
    net_minor: Annotated[int | UnsetType, sums_price("Amount without taxes, in minor units.")] = UNSET
    tax_minor: Annotated[int | UnsetType, sums_price("Tax included in the total.")] = UNSET
    total_minor: Annotated[int | UnsetType, sums_price("Amount in minor units, tax included.")] = UNSET


class InvoiceRun(Answer):
    """Invoice run and its progress."""

    id: int
    state: Annotated[str, doc("`queued`, `running`, `done`, `partly_done`, `failed` or `cancelled`.", "done")]
    cycle: InvoiceCycle | None
    until: Annotated[date, doc("Last day of the charges.")]
    send: Annotated[bool, doc("True if the invoices are sent by email.")]
    customers: Annotated[int, doc("Number of customers.")]
    done: Annotated[int, doc("Number of processed customers.")]
    issued: Annotated[int, doc("Number of customers with invoices.")]
    nothing: Annotated[int, doc("Number of customers without anything to invoice.")]
    failed: Annotated[int, doc("Number of customers whose invoice failed. Retry them.")]
    sums: Annotated[list[InvoiceRunSum], doc("Sums of the issued invoices, by currency.")]
    created_at: datetime
    finished_at: datetime | None


class InvoiceRunAnswer(Answer):
    """Single invoice run."""

    result: bool = True
    invoice_run: InvoiceRun


class InvoiceRunList(PagedAnswer):
    """A page of invoice runs, newest first."""

    invoice_runs: list[InvoiceRun]


class RunInvoiceRef(Answer):
    """Invoice of a run."""

    id: int
    number: Annotated[str, doc("Number, consecutive within the business.", "INV-000017")]


class InvoiceRunCustomer(Answer):
    """Outcome of a customer in an invoice run."""

    customer_id: int
    name: str
    outcome: RunOutcome
    invoices: list[RunInvoiceRef]
    code: Annotated[str | None, doc("Error code if the invoice failed.", "NOT_FOUND")] = None
    message: Annotated[str | None, doc("Error message if the invoice failed.")] = None


class InvoiceRunCustomers(PagedAnswer):
    """A page of customers of an invoice run, with their outcomes."""

    customers: list[InvoiceRunCustomer]
