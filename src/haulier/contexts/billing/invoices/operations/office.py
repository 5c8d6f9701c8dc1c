"""The office issues invoices, notes what was paid, takes back and sends them."""

from haulier.contexts.billing.invoices.actions import credit_notes, settle
from haulier.contexts.billing.invoices.actions.issue import issue_invoice as issue
from haulier.contexts.billing.invoices.actions.locks import lock_invoice
from haulier.contexts.billing.invoices.contract import (
    CreditInvoice,
    InvoiceAnswer,
    InvoiceRef,
    IssueInvoice,
    RecordInvoicePayment,
    VoidInvoice,
)
from haulier.contexts.billing.invoices.operations.invoices import INVOICE_PATH, PATH, invoice_answer
from haulier.contexts.billing.invoices.rules.invoices import (
    INVOICE_AMOUNT_TOO_LARGE,
    INVOICE_NOT_LATEST,
    INVOICE_NOT_OPEN,
    NOTHING_TO_INVOICE,
    InvoiceKind,
    InvoiceStatus,
)
from haulier.contexts.billing.invoices.rules.work import SEND_INVOICE_JOB, SendInvoice
from haulier.contexts.billing.ledger.actions.postings import naming_reference
from haulier.contexts.billing.ledger.rules import BALANCE_OUT_OF_RANGE, CREDIT_INSUFFICIENT, LEDGER_KEY_REUSED
from haulier.contexts.identity.accounts.rules.users import NOT_A_CUSTOMER
from haulier.contexts.identity.public import require_customer
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

SCOPES = {Scope.BILLING_WRITE}


@writes(
    "issue_invoice",
    audience=OFFICE,
    scopes=SCOPES,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER, NOTHING_TO_INVOICE),
    doors=(Rest("POST", PATH, status=201), GraphQL("issueInvoice")),
)
async def issue_invoice(call: Call, request: IssueInvoice) -> InvoiceAnswer:
    """Bill a customer what they were charged and is on no invoice yet. Its PDF is signed and sent in the background.

    An invoice has at most 1,000 charges; a further one takes the rest. A dry run shows what it would say.
    """
    customer_id = (await require_customer(call.work, request.customer_id)).id
    row = await issue(call, customer_id, request.currency or call.business.currency, request.until)
    return await invoice_answer(call, row)


@writes(
    "record_invoice_payment",
    allowed_where={"kind": InvoiceKind.INVOICE.value, "status": InvoiceStatus.OPEN.value},
    audience=OFFICE,
    scopes=SCOPES,
    risk=Risk.HIGH,
    errors=(
        *(NOT_FOUND, INVOICE_NOT_OPEN, INVOICE_AMOUNT_TOO_LARGE, LEDGER_KEY_REUSED, CREDIT_INSUFFICIENT),
        BALANCE_OUT_OF_RANGE,
    ),
    doors=(Rest("POST", f"{INVOICE_PATH}/payments"), GraphQL("recordInvoicePayment")),
)
async def record_invoice_payment(call: Call, request: RecordInvoicePayment) -> InvoiceAnswer:
    """Note that an invoice was paid, in whole or in part, once for each reference. It is posted to the customer's credit."""
    row = await lock_invoice(call, request.invoice_id)
    with naming_reference(request.reference):
        paid = await settle.record_payment(
            call, row, request.amount_minor, paid_by=request.paid_by, reference=request.reference
        )
    return await invoice_answer(call, paid)


@writes(
    "void_invoice",
    allowed_where={"kind": InvoiceKind.INVOICE.value, "status": frozenset(InvoiceStatus) - {InvoiceStatus.VOID}},
    audience=OFFICE,
    scopes=SCOPES,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, INVOICE_NOT_OPEN, INVOICE_NOT_LATEST),
    doors=(Rest("POST", f"{INVOICE_PATH}/void"), GraphQL("voidInvoice")),
)
async def void_invoice(call: Call, request: VoidInvoice) -> InvoiceAnswer:
    """Withdraw a customer's newest invoice while nothing was paid of it: its number stays, its charges go onto the next one."""
    row = await settle.void_invoice(call, await lock_invoice(call, request.invoice_id), request.reason)
    return await invoice_answer(call, row)


@writes(
    "credit_invoice",
    allowed_where={"kind": InvoiceKind.INVOICE.value, "status": frozenset(InvoiceStatus) - {InvoiceStatus.VOID}},
    audience=OFFICE,
    scopes=SCOPES,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, INVOICE_NOT_OPEN, INVOICE_AMOUNT_TOO_LARGE, BALANCE_OUT_OF_RANGE),
    doors=(Rest("POST", f"{INVOICE_PATH}/credit-notes", status=201), GraphQL("creditInvoice")),
)
async def credit_invoice(call: Call, request: CreditInvoice) -> InvoiceAnswer:
    """Credit an invoice, a part of it, or one charge of it. The amount is added to the customer's credit.

    The credit note names the charges that it gives back. Refunds and credit notes of a charge are never more than the charge.
    """
    row = await lock_invoice(call, request.invoice_id)
    note = await credit_notes.credit_invoice(
        call, row, request.amount_minor, request.reason, transfer_id=request.transfer_id
    )
    return await invoice_answer(call, note)


@writes(
    "send_invoice",
    allowed_where={"status": frozenset(InvoiceStatus) - {InvoiceStatus.VOID}},
    audience=OFFICE,
    scopes=SCOPES,
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, INVOICE_NOT_OPEN),
    doors=(Rest("POST", f"{INVOICE_PATH}/send"), GraphQL("sendInvoice")),
)
async def send_invoice(call: Call, request: InvoiceRef) -> InvoiceAnswer:
    """Send an invoice or credit note by e-mail once more, to the address of the customer's terms or their own."""
    row = await lock_invoice(call, request.invoice_id)
    if row.status == InvoiceStatus.VOID:
        raise INVOICE_NOT_OPEN(number=row.number)
    await call.enqueue(SEND_INVOICE_JOB, SendInvoice(invoice_id=row.id))
    call.add_audit_subjects("invoice", row.id)
    return await invoice_answer(call, row)
