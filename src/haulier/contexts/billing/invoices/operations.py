"""Operations on invoices."""

from base64 import b64encode
from urllib.parse import quote

from haulier.contexts.billing.invoices import store
from haulier.contexts.billing.invoices.actions import issued_invoices
from haulier.contexts.billing.invoices.actions.new_invoices import issue_invoice as issue
from haulier.contexts.billing.invoices.actions.new_invoices import lock_invoice, lock_settings, lock_terms
from haulier.contexts.billing.invoices.actions.payments import record_payment
from haulier.contexts.billing.invoices.contract import (
    BillingTerms,
    BillingTermsRef,
    CreditInvoice,
    CreditNoteAnswer,
    InvoiceAnswer,
    InvoiceDetail,
    InvoiceFile,
    InvoiceList,
    InvoiceRef,
    InvoicingSettings,
    IssueInvoice,
    ListInvoices,
    ReadInvoiceFile,
    RecordInvoicePayment,
    ReminderAnswer,
    SendInvoiceReminder,
    SetBillingTerms,
    SetInvoiceReminders,
    SetInvoicingSettings,
    VoidInvoice,
)
from haulier.contexts.billing.invoices.queries import (
    family_hidden_in_document,
    get_visible_invoice,
    load_settings,
    load_terms,
)
from haulier.contexts.billing.invoices.rules import (
    INVOICE_AMOUNT_TOO_LARGE,
    INVOICE_NOT_LATEST,
    INVOICE_NOT_OPEN,
    INVOICE_NOT_OVERDUE,
    NOTHING_TO_INVOICE,
    REMINDER_SENT_TODAY,
    REMINDERS_PAUSED,
    SEND_INVOICE_JOB,
    AskedCharge,
    AskedCredit,
    InvoiceKind,
    InvoiceStatus,
    SendInvoice,
    next_billing_day,
)
from haulier.contexts.billing.invoices.serializers import invoice_detail, invoice_summary
from haulier.contexts.billing.invoices.store import InvoiceRow, left_minor
from haulier.contexts.billing.ledger.actions import naming_reference
from haulier.contexts.billing.ledger.queries import get_refundable_amounts
from haulier.contexts.billing.ledger.rules import BALANCE_OUT_OF_RANGE, CREDIT_INSUFFICIENT, LEDGER_KEY_REUSED, NOBODY
from haulier.contexts.billing.received_payments.queries import list_paid_by
from haulier.contexts.documents.files.rules import FILE_AWAY, FILE_DAMAGED
from haulier.contexts.documents.public import DOCUMENT_NOT_READY, get_issued_file
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import require_customer
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import (
    EmptyRequest,
    GraphQL,
    Representation,
    Representations,
    Rest,
    reads,
    writes,
)
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.values.money import Money
from haulier.kernel.values.pagination import total_fields

INVOICES_PATH = "/v1/billing/invoices"
INVOICE_PATH = f"{INVOICES_PATH}/{{invoice_id}}"
FILTERS = {"customer_id", "kind", "status", "currency", "number", "invoice_run_id"}
READERS = OFFICE | {Account.CUSTOMER}
INVOICES_SCOPES = {Scope.ANALYTICS_READ}
PDF = "application/pdf"
AS_PDF = Representations(
    (Representation(PDF, "content"),), field="form", data_field="content", media_type_field="media_type"
)


@reads(
    "list_invoices",
    audience=READERS,
    scopes=INVOICES_SCOPES,
    interfaces=(Rest("GET", INVOICES_PATH), GraphQL("invoices")),
)
async def list_invoices(call: Call, request: ListInvoices) -> InvoiceList:
    """List invoices and credit notes.

    Results are ordered newest first. Customers see their own.
    """
    wanted = request.model_dump(mode="json", include=FILTERS, exclude_none=True)
    if call.principal.account is Account.CUSTOMER:
        wanted["customer_id"] = call.actor or NOBODY
    rows, counted = await store.list_invoice_rows(
        call.work,
        wanted,
        overdue_on=call.today if request.overdue else None,
        due=(request.due_from, request.due_to),
        limit=request.per_page,
        offset=request.offset,
    )
    return InvoiceList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        invoices=[invoice_summary(call, row) for row in rows],
    )


@reads(
    "get_invoice",
    audience=READERS,
    scopes=INVOICES_SCOPES,
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", INVOICE_PATH), GraphQL("invoice")),
)
async def get_invoice(call: Call, request: InvoiceRef) -> InvoiceAnswer:
    """Get an invoice or credit note.

    Includes its lines and reminders. Customers see their own.
    """
    return await invoice_answer(call, await get_visible_invoice(call, request.invoice_id))


@reads(
    "get_invoice_file",
    audience=READERS,
    scopes=INVOICES_SCOPES,
    errors=(NOT_FOUND, PRICE_HIDDEN, DOCUMENT_NOT_READY, FILE_AWAY, FILE_DAMAGED),
    interfaces=(Rest("GET", f"{INVOICE_PATH}/file", representations=AS_PDF), GraphQL("invoiceFile")),
)
async def get_invoice_file(call: Call, request: ReadInvoiceFile) -> InvoiceFile:
    """Get the signed PDF of an invoice.

    The file is returned in base64, or as raw bytes if the Accept header requests it. Callers who may not see all its
    prices must ask the business for the file.
    """
    row = await get_visible_invoice(call, request.invoice_id)
    if family := family_hidden_in_document(call.principal, row):
        raise PRICE_HIDDEN(family=family.value)
    file = await get_issued_file(call, row.document_id) if row.document_id is not None else None
    if file is None:
        raise DOCUMENT_NOT_READY(state="queued" if row.document_id else "failed")
    if request.form == "content":
        call.headers["Content-Disposition"] = f"inline; filename*=UTF-8''{quote(row.number, safe='')}.pdf"
    return InvoiceFile(number=row.number, media_type=PDF, content=b64encode(file[1]).decode())


async def invoice_answer(call: Call, row: InvoiceRow) -> InvoiceAnswer:
    """Return an invoice with its lines, reminders and payments."""
    lines = await store.list_line_rows(call.work, row.id)
    letters = await store.list_email_rows(call.work, row.id)
    charges = [line.transfer_id for line in lines if line.transfer_id is not None and line.amount_minor > 0]
    refundable = await get_refundable_amounts(call, charges)
    allocations = await list_paid_by(call, row.id)
    return InvoiceAnswer(invoice=invoice_detail(call, row, lines, letters, refundable, allocations))


def asked_credit(request: CreditInvoice) -> AskedCredit:
    """Return the requested credit by charge."""
    if request.transfer_id is not None:
        return AskedCredit(charges=(AskedCharge(charge_id=request.transfer_id, minor=request.amount_minor),))
    charges = [
        AskedCharge(charge_id=each.transfer_id, minor=each.amount_minor, path=f"charges.{place}.")
        for place, each in enumerate(request.charges or ())
    ]
    return AskedCredit(amount_minor=request.amount_minor, charges=charges)


async def credit_note_answer(call: Call, note: InvoiceRow, *, due_before: int) -> CreditNoteAnswer:
    """Return a credit note with its effect on the money of the customer."""
    shown = (await invoice_answer(call, note)).invoice
    if shown.price_hidden is True:
        return CreditNoteAnswer(invoice=shown, credit_currency=shown.credit_currency)
    reduced = min(due_before, note.total_minor)
    return CreditNoteAnswer(
        invoice=shown,
        credit_currency=shown.credit_currency,
        due_reduced_minor=reduced,
        to_credit_minor=note.total_minor - reduced,
    )


OFFICE_SCOPES = {Scope.BILLING_WRITE}


@writes(
    "issue_invoice",
    audience=OFFICE,
    scopes=OFFICE_SCOPES,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER, NOTHING_TO_INVOICE),
    interfaces=(Rest("POST", INVOICES_PATH, status=201), GraphQL("issueInvoice")),
)
async def issue_invoice(call: Call, request: IssueInvoice) -> InvoiceAnswer:
    """Issue an invoice to a customer.

    Bills charges that are not yet on an invoice. The PDF is signed and sent in the background. An invoice has at
    most 1,000 charges; issue another one for the rest. A dry run previews the invoice.
    """
    customer_id = (await require_customer(call.work, request.customer_id)).id
    row = await issue(call, customer_id, request.currency or call.business.currency, request.until)
    return await invoice_answer(call, row)


@writes(
    "record_invoice_payment",
    available_when={"kind": InvoiceKind.INVOICE.value, "status": InvoiceStatus.OPEN.value},
    audience=OFFICE,
    scopes=OFFICE_SCOPES,
    risk=Risk.HIGH,
    errors=(
        *(NOT_FOUND, INVOICE_NOT_OPEN, INVOICE_AMOUNT_TOO_LARGE, LEDGER_KEY_REUSED, CREDIT_INSUFFICIENT),
        BALANCE_OUT_OF_RANGE,
    ),
    interfaces=(Rest("POST", f"{INVOICE_PATH}/payments"), GraphQL("recordInvoicePayment")),
)
async def record_invoice_payment(call: Call, request: RecordInvoicePayment) -> InvoiceAnswer:
    """Record a payment for an invoice.

    The payment may be partial. It is counted once per reference and posted to the customer's credit.
    """
    row = await lock_invoice(call, request.invoice_id)
    with naming_reference(request.reference):
        paid = await record_payment(
            call, row, request.amount_minor, paid_by=request.paid_by, reference=request.reference
        )
    return await invoice_answer(call, paid)


@writes(
    "void_invoice",
    available_when={"kind": InvoiceKind.INVOICE.value, "status": frozenset(InvoiceStatus) - {InvoiceStatus.VOID}},
    audience=OFFICE,
    scopes=OFFICE_SCOPES,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, INVOICE_NOT_OPEN, INVOICE_NOT_LATEST),
    interfaces=(Rest("POST", f"{INVOICE_PATH}/void"), GraphQL("voidInvoice")),
)
async def void_invoice(call: Call, request: VoidInvoice) -> InvoiceAnswer:
    """Void a customer's newest invoice.

    Only an unpaid invoice can be voided. Its number stays in use and its charges move to the next invoice.
    """
    row = await issued_invoices.void_invoice(call, await lock_invoice(call, request.invoice_id), request.reason)
    return await invoice_answer(call, row)


@writes(
    "credit_invoice",
    available_when={"kind": InvoiceKind.INVOICE.value, "status": frozenset(InvoiceStatus) - {InvoiceStatus.VOID}},
    audience=OFFICE,
    scopes=OFFICE_SCOPES,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, INVOICE_NOT_OPEN, INVOICE_AMOUNT_TOO_LARGE, BALANCE_OUT_OF_RANGE),
    interfaces=(Rest("POST", f"{INVOICE_PATH}/credit-notes", status=201), GraphQL("creditInvoice")),
)
async def credit_invoice(call: Call, request: CreditInvoice) -> CreditNoteAnswer:
    """Credit an invoice or some of its charges.

    The amount may be partial. It reduces the amount due; the rest is credit of the customer. The credit note names
    the credited charges. Refunds and credit notes together never exceed a charge. A dry run previews the credit note.
    """
    row = await lock_invoice(call, request.invoice_id)
    note = await issued_invoices.credit_invoice(call, row, asked_credit(request), request.reason)
    return await credit_note_answer(call, note, due_before=left_minor(row))


@writes(
    "send_invoice",
    available_when={"status": frozenset(InvoiceStatus) - {InvoiceStatus.VOID}},
    audience=OFFICE,
    scopes=OFFICE_SCOPES,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, INVOICE_NOT_OPEN),
    interfaces=(Rest("POST", f"{INVOICE_PATH}/send"), GraphQL("sendInvoice")),
)
async def send_invoice(call: Call, request: InvoiceRef) -> InvoiceAnswer:
    """Send an invoice or credit note by email.

    It goes to the address in the customer's billing terms, or else to the customer's own address.
    """
    row = await lock_invoice(call, request.invoice_id)
    if row.status == InvoiceStatus.VOID:
        raise INVOICE_NOT_OPEN(number=row.number)
    await call.enqueue(SEND_INVOICE_JOB, SendInvoice(invoice_id=row.id))
    call.add_audit_subjects("invoice", row.id)
    return await invoice_answer(call, row)


@writes(
    "send_invoice_reminder",
    available_when={"status": InvoiceStatus.OPEN, "overdue": True},
    audience=OFFICE,
    scopes=OFFICE_SCOPES,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, INVOICE_NOT_OPEN, INVOICE_NOT_OVERDUE, REMINDER_SENT_TODAY, REMINDERS_PAUSED),
    interfaces=(Rest("POST", f"{INVOICE_PATH}/reminders"), GraphQL("sendInvoiceReminder")),
)
async def send_invoice_reminder(call: Call, request: SendInvoiceReminder) -> ReminderAnswer:
    """Send a reminder about an overdue invoice.

    The next level of the invoicing settings is sent before its day, with its fee. Credit of the customer pays the
    invoice first. Paused reminders only stop automatic ones, unless `skip_paused` is true.
    """
    row = await lock_invoice(call, request.invoice_id)
    reminded = await issued_invoices.send_reminder(call, row, skip_paused=request.skip_paused)
    shown = (await invoice_answer(call, reminded)).invoice
    return ReminderAnswer(message=_reminder_message(call, shown), invoice=shown)


def _reminder_message(call: Call, invoice: InvoiceDetail) -> str:
    """Return the level and fee of the reminder that was sent, if any."""
    if invoice.status is not InvoiceStatus.OPEN:
        return call.translate("reminder_not_needed", number=invoice.number)
    sent = invoice.letters[-1]
    named = {"number": invoice.number, "level": sent.level}
    if not sent.fee_minor:
        return call.translate("reminder_sent", **named)
    return call.translate("reminder_sent_fee", **named, fee=str(Money(sent.fee_minor, invoice.credit_currency)))


@writes(
    "set_invoice_reminders",
    available_when={"status": InvoiceStatus.OPEN},
    audience=OFFICE,
    scopes=OFFICE_SCOPES,
    risk=Risk.LOW,
    errors=(NOT_FOUND, INVOICE_NOT_OPEN),
    interfaces=(Rest("PUT", f"{INVOICE_PATH}/reminders"), GraphQL("setInvoiceReminders")),
)
async def set_invoice_reminders(call: Call, request: SetInvoiceReminders) -> InvoiceAnswer:
    """Pause or resume reminders about an invoice."""
    row = await lock_invoice(call, request.invoice_id)
    if row.status != InvoiceStatus.OPEN:
        raise INVOICE_NOT_OPEN(number=row.number)
    await store.update_invoice(call.work, row.id, {"dunning": request.enabled})
    call.add_audit_subjects("invoice", row.id)
    return await invoice_answer(call, await get_visible_invoice(call, row.id))


SETTINGS_PATH = "/v1/billing/invoicing"
TERMS_PATH = "/v1/billing/customers/{customer_id}/terms"


@reads(
    "get_invoicing_settings",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", SETTINGS_PATH), GraphQL("invoicingSettings")),
)
async def get_invoicing_settings(call: Call, request: EmptyRequest) -> InvoicingSettings:
    """Get the invoicing settings.

    Includes numbering, tax, payment terms and reminders.
    """
    return await load_settings(call)


@writes(
    "set_invoicing_settings",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", SETTINGS_PATH), GraphQL("setInvoicingSettings")),
)
async def set_invoicing_settings(call: Call, request: SetInvoicingSettings) -> InvoicingSettings:
    """Replace the invoicing settings.

    Issued invoices do not change, and numbering continues.
    """
    await lock_settings(call)
    await store.update_settings(call.work, {**request.model_dump(mode="json"), "updated_at": call.now})
    return await load_settings(call)


@reads(
    "get_billing_terms",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
    interfaces=(Rest("GET", TERMS_PATH), GraphQL("billingTerms")),
)
async def get_billing_terms(call: Call, request: BillingTermsRef) -> BillingTerms:
    """Get a customer's billing terms."""
    return await load_terms(call, (await require_customer(call.work, request.customer_id)).id)


@writes(
    "set_billing_terms",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
    interfaces=(Rest("PUT", TERMS_PATH), GraphQL("setBillingTerms")),
)
async def set_billing_terms(call: Call, request: SetBillingTerms) -> BillingTerms:
    """Replace a customer's billing terms.

    The terms define the invoice interval, payment term, recipient and email address.
    """
    customer_id = (await require_customer(call.work, request.customer_id)).id
    before = await lock_terms(call, customer_id)
    values = request.model_dump(mode="json", exclude={"customer_id"})
    values["currency"] = request.currency or call.business.currency
    if request.period is None:
        values["next_invoice_on"] = None
    elif (before.period, before.billing_day) != (request.period, request.billing_day) or before.next_invoice_on is None:
        values["next_invoice_on"] = next_billing_day(request.period, call.today, request.billing_day)
    await store.update_terms(call.work, customer_id, {**values, "updated_at": call.now})
    if before.dunning is not request.dunning:  # otherwise reminders that are paused for an invoice stay so
        await store.set_dunning_of_customer(call.work, customer_id, request.dunning)
    call.add_audit_subjects("user", customer_id)
    return await load_terms(call, customer_id)
