"""Office operations on invoices: issue, record payments, void, credit and send."""

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
    """Issue an invoice to a customer.

    Bills charges that are not yet on an invoice. The PDF is signed and sent in the background. An invoice has at
    most 1,000 charges; issue another one for the rest. A dry run previews the invoice.
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
    """Record a payment for an invoice.

    The payment may be partial. It is counted once per reference and posted to the customer's credit.
    """
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
    """Void a customer's newest invoice.

    Only an unpaid invoice can be voided. Its number stays in use and its charges move to the next invoice.
    """
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
    """Credit an invoice or one of its charges.

    The amount may be partial and is added to the customer's credit. The credit note names the credited charges.
    Refunds and credit notes together never exceed a charge.
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
    """Send an invoice or credit note by email.

    It goes to the address in the customer's billing terms, or else to the customer's own address.
    """
    row = await lock_invoice(call, request.invoice_id)
    if row.status == InvoiceStatus.VOID:
        raise INVOICE_NOT_OPEN(number=row.number)
    await call.enqueue(SEND_INVOICE_JOB, SendInvoice(invoice_id=row.id))
    call.add_audit_subjects("invoice", row.id)
    return await invoice_answer(call, row)
