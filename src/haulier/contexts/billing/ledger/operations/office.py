"""Office operations on credit: payments, corrections and limits."""

from collections.abc import Awaitable

from haulier.contexts.billing.events import CreditChanged, CreditLimitSet
from haulier.contexts.billing.ledger.actions import credit as actions
from haulier.contexts.billing.ledger.actions.postings import Posted, naming_reference
from haulier.contexts.billing.ledger.contract import (
    AdjustCredit,
    CreditAnswer,
    CreditTransferAnswer,
    SetCreditLimit,
    TopUpCredit,
)
from haulier.contexts.billing.ledger.queries import balance_of
from haulier.contexts.billing.ledger.rules import (
    BALANCE_OUT_OF_RANGE,
    CREDIT_IN_USE,
    CREDIT_INSUFFICIENT,
    LEDGER_KEY_REUSED,
    AccountKind,
    TransferKind,
)
from haulier.contexts.billing.ledger.serializers import credit_record
from haulier.contexts.identity.accounts.rules.users import NOT_A_CUSTOMER
from haulier.contexts.identity.public import require_customer
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.values.money import Money

CUSTOMER_PATH = "/v1/billing/credits/{customer_id}"
PAID_INTO = {"bank": AccountKind.BANK, "cash": AccountKind.CASH}


@writes(
    "top_up_credit",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER, LEDGER_KEY_REUSED, BALANCE_OUT_OF_RANGE),
    doors=(Rest("POST", f"{CUSTOMER_PATH}/top-ups"), GraphQL("topUpCredit")),
)
async def top_up_credit(call: Call, request: TopUpCredit) -> CreditTransferAnswer:
    """Add a payment to a customer's credit.

    Records money received by bank transfer or in cash, once per reference.
    """
    customer_id = (await require_customer(call.work, request.customer_id)).id
    money = Money(request.amount_minor, request.currency or call.business.currency)
    top_up = actions.top_up(
        call,
        customer_id,
        money,
        key=f"top_up:{customer_id}:{request.reference}",
        paid_into=PAID_INTO[request.paid_by],
        reason=request.reason,
    )
    return await announce_posting(call, customer_id, money.currency, TransferKind.TOP_UP, top_up, request.reference)


@writes(
    "adjust_credit",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER, CREDIT_INSUFFICIENT, LEDGER_KEY_REUSED, BALANCE_OUT_OF_RANGE),
    doors=(Rest("POST", f"{CUSTOMER_PATH}/adjustments"), GraphQL("adjustCredit")),
)
async def adjust_credit(call: Call, request: AdjustCredit) -> CreditTransferAnswer:
    """Correct a customer's credit.

    The correction may be positive or negative and is counted once per reference. The customer sees the reason.
    """
    if not request.amount_minor:
        raise INVALID_REQUEST.for_fields(FieldError("amount_minor", "field.amount_zero"))
    customer_id = (await require_customer(call.work, request.customer_id)).id
    money = Money(request.amount_minor, request.currency or call.business.currency)
    key = f"adjust:{customer_id}:{request.reference}"
    adjusted = actions.adjust(call, customer_id, money, key=key, reason=request.reason)
    kind = TransferKind.ADJUSTMENT
    return await announce_posting(call, customer_id, money.currency, kind, adjusted, request.reference)


@writes(
    "set_credit_limit",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER, CREDIT_IN_USE),
    doors=(Rest("PUT", f"{CUSTOMER_PATH}/limit"), GraphQL("setCreditLimit")),
)
async def set_credit_limit(call: Call, request: SetCreditLimit) -> CreditAnswer:
    """Set a customer's credit limit.

    The limit cannot be lower than the amount currently owed, including holds.
    """
    customer_id = (await require_customer(call.work, request.customer_id)).id
    limit = Money(request.limit_minor, request.currency or call.business.currency)
    await actions.set_credit_limit(call, customer_id, limit)
    call.add_audit_subjects("user", customer_id)
    await call.publish(CreditLimitSet(customer_id=customer_id, credit_currency=limit.currency))
    return CreditAnswer(credit=credit_record(await balance_of(call, customer_id, limit.currency)))


async def announce_posting(
    call: Call, customer_id: int, currency: str, kind: TransferKind, posting: Awaitable[Posted], reference: str
) -> CreditTransferAnswer:
    """Move money and publish `CreditChanged`. Return the transfer and the credit.

    A repeated call moves and publishes nothing.
    """
    with naming_reference(reference):
        posted = await posting
    call.add_audit_subjects("user", customer_id)
    if not posted.repeated:
        news = CreditChanged(customer_id=customer_id, transfer_id=posted.transfer_id, reason_kind=kind.value)
        await call.publish(news)
    credit = credit_record(await balance_of(call, customer_id, currency))
    return CreditTransferAnswer(transfer_id=posted.transfer_id, repeated=posted.repeated, credit=credit)
