"""Operations on received payments and their allocation to invoices."""

from collections.abc import Sequence

from haulier.contexts.billing.invoices.actions import payments
from haulier.contexts.billing.invoices.actions.new_invoices import lock_terms
from haulier.contexts.billing.invoices.actions.payments import AskedAllocation
from haulier.contexts.billing.invoices.contract import InvoiceAnswer
from haulier.contexts.billing.invoices.operations import invoice_answer
from haulier.contexts.billing.invoices.queries import load_invoice_numbers
from haulier.contexts.billing.invoices.rules import INVOICE_AMOUNT_TOO_LARGE, INVOICE_NOT_OPEN
from haulier.contexts.billing.ledger.queries import balance_of
from haulier.contexts.billing.ledger.rules import BALANCE_OUT_OF_RANGE, LEDGER_KEY_REUSED
from haulier.contexts.billing.ledger.serializers import credit_record
from haulier.contexts.billing.received_payments.actions import Receipt, receive_payment
from haulier.contexts.billing.received_payments.contract import (
    AllocatePayment,
    AllocationRef,
    CreditPaymentAnswer,
    ListReceivedPayments,
    PaymentAllocation,
    ReceivedPayment,
    ReceivedPaymentAnswer,
    ReceivedPaymentList,
    ReceivedPaymentRef,
    ReversePayment,
    TopUpCredit,
)
from haulier.contexts.billing.received_payments.queries import (
    ReceivedPaymentRow,
    list_allocations_of_payments,
    list_payments,
)
from haulier.contexts.billing.received_payments.rules import (
    PAYMENT_AMOUNT_TOO_LARGE,
    PAYMENT_CURRENCY_DIFFERS,
    PAYMENT_REVERSED,
    PaidBy,
    ReceivedPaymentStatus,
)
from haulier.contexts.billing.received_payments.serializers import payment_record
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import require_customer
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.values.money import Money
from haulier.kernel.values.pagination import total_fields

PAYMENTS_PATH = "/v1/billing/received-payments"
PAYMENT_PATH = f"{PAYMENTS_PATH}/{{received_payment_id}}"
FILTERS = {"customer_id", "status", "currency", "reference"}
ALLOCATION_ERRORS = (
    NOT_FOUND,
    INVOICE_NOT_OPEN,
    INVOICE_AMOUNT_TOO_LARGE,
    PAYMENT_AMOUNT_TOO_LARGE,
    PAYMENT_CURRENCY_DIFFERS,
)


@reads(
    "list_received_payments",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", PAYMENTS_PATH), GraphQL("receivedPayments")),
)
async def list_received_payments(call: Call, request: ListReceivedPayments) -> ReceivedPaymentList:
    """List received payments and their allocations.

    Payments by bank transfer and in cash, newest first. Filter by `status` to find credit on account.
    """
    wanted = request.model_dump(mode="json", include=FILTERS, exclude_none=True)
    rows, counted = await list_payments(call, wanted, limit=request.per_page, offset=request.offset)
    return ReceivedPaymentList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        received_payments=await _payment_records(call, rows),
    )


@reads(
    "get_received_payment",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", PAYMENT_PATH), GraphQL("receivedPayment")),
)
async def get_received_payment(call: Call, request: ReceivedPaymentRef) -> ReceivedPaymentAnswer:
    """Get a received payment and its allocations."""
    return await _payment_answer(call, await _get_payment(call, request.received_payment_id))


async def _get_payment(call: Call, payment_id: int) -> ReceivedPaymentRow:
    """Return a payment. Raises `NOT_FOUND`."""
    row = await ReceivedPaymentRow.get(call.work, payment_id)
    if row is None:
        raise record_not_found(received_payment_id=payment_id)
    return row


async def _payment_records(call: Call, rows: Sequence[ReceivedPaymentRow]) -> list[ReceivedPayment]:
    """Return payments with their allocations, in a constant number of statements."""
    found = await list_allocations_of_payments(call, [row.id for row in rows])
    invoice_ids = {each.invoice_id for part in found.values() for each in part}
    numbers = await load_invoice_numbers(call, invoice_ids)
    return [payment_record(call, row, found[row.id], numbers) for row in rows]


async def _payment_answer(call: Call, row: ReceivedPaymentRow) -> ReceivedPaymentAnswer:
    return ReceivedPaymentAnswer(received_payment=(await _payment_records(call, [row]))[0])


@writes(
    "top_up_credit",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(*ALLOCATION_ERRORS, NOT_A_CUSTOMER, LEDGER_KEY_REUSED, BALANCE_OUT_OF_RANGE),
    interfaces=(Rest("POST", "/v1/billing/credits/{customer_id}/top-ups"), GraphQL("topUpCredit")),
)
async def top_up_credit(call: Call, request: TopUpCredit) -> CreditPaymentAnswer:
    """Add a payment to a customer's credit.

    Records money received by bank transfer or in cash, once per reference, and allocates it to open invoices. The
    rest stays on account.
    """
    customer_id = (await require_customer(call.work, request.customer_id)).id
    money = Money(request.amount_minor, request.currency or call.business.currency)
    await lock_terms(call, customer_id)
    asked = request.allocations
    receipt = Receipt(
        key=f"top_up:{customer_id}:{request.reference}",
        reference=request.reference,
        paid_by=PaidBy(request.paid_by),
        received_on=request.received_on,
        reason=request.reason,
        asked=None if asked is None else [each.model_dump(mode="json") for each in asked],
    )
    posted, payment = await receive_payment(call, customer_id, money, receipt, automatic=asked is None)
    call.add_audit_subjects("user", customer_id)
    if payment is not None and not posted.repeated:
        payment = await payments.allocate_payment(call, payment, _asked(asked))
    return CreditPaymentAnswer(
        transfer_id=posted.transfer_id,
        repeated=posted.repeated,
        credit=credit_record(await balance_of(call, customer_id, money.currency)),
        received_payment=(await _payment_records(call, [payment]))[0] if payment else None,
    )


def _asked(given: Sequence[PaymentAllocation] | None) -> list[AskedAllocation] | None:
    return None if given is None else [AskedAllocation(each.invoice_id, each.amount_minor) for each in given]


@writes(
    "allocate_payment",
    available_when={"status": ReceivedPaymentStatus.UNALLOCATED.value},
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(*ALLOCATION_ERRORS, PAYMENT_REVERSED),
    interfaces=(Rest("POST", f"{PAYMENT_PATH}/allocations"), GraphQL("allocatePayment")),
)
async def allocate_payment(call: Call, request: AllocatePayment) -> ReceivedPaymentAnswer:
    """Allocate a received payment to invoices.

    Uses the amount that is not allocated yet. Without `allocations`, what remains also pays later invoices.
    """
    row = await _get_payment(call, request.received_payment_id)
    return await _payment_answer(call, await payments.allocate_payment(call, row, _asked(request.allocations)))


@writes(
    "undo_allocation",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND,),
    interfaces=(Rest("DELETE", "/v1/billing/payment-allocations/{allocation_id}"), GraphQL("undoAllocation")),
)
async def undo_allocation(call: Call, request: AllocationRef) -> InvoiceAnswer:
    """Undo an allocation of a payment.

    The invoice is open again. The amount of a received payment stays on account until it is allocated again; other
    credit pays invoices again when the customer's credit next changes.
    """
    return await invoice_answer(call, await payments.undo_allocation(call, request.allocation_id))


@writes(
    "reverse_payment",
    available_when={"status": frozenset(ReceivedPaymentStatus) - {ReceivedPaymentStatus.REVERSED}},
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND, PAYMENT_REVERSED, BALANCE_OUT_OF_RANGE),
    interfaces=(Rest("POST", f"{PAYMENT_PATH}/reverse"), GraphQL("reversePayment")),
)
async def reverse_payment(call: Call, request: ReversePayment) -> ReceivedPaymentAnswer:
    """Reverse a received payment.

    For payments returned by the bank or recorded by mistake. The amount is taken from the customer's credit, and the
    invoices are open again.
    """
    row = await _get_payment(call, request.received_payment_id)
    return await _payment_answer(call, await payments.reverse_payment(call, row, request.reason))
