"""Operations on payment links."""

from haulier.contexts.billing.public import DueOrder
from haulier.contexts.identity.public import get_customer_principal, require_client
from haulier.contexts.payments.online_payments.actions import add_secret, begin_payment, due_of_order
from haulier.contexts.payments.online_payments.contract import LinkPayment
from haulier.contexts.payments.online_payments.queries import is_paid_online
from haulier.contexts.payments.online_payments.rules import PAYMENT_NOT_DUE, PaymentPurpose, PaymentStatus
from haulier.contexts.payments.payment_links import store
from haulier.contexts.payments.payment_links.contract import (
    CreatedPaymentLink,
    CreatePaymentLink,
    LinkedBill,
    PaymentLinkRef,
)
from haulier.contexts.payments.payment_links.queries import open_payment_link
from haulier.contexts.payments.payment_links.rules import LINK_LIFE, PAYMENT_LINK_INVALID
from haulier.contexts.payments.payment_links.store import PaymentLinkRow
from haulier.contexts.payments.provider_accounts.queries import require_active_account
from haulier.contexts.payments.provider_accounts.rules import ONLINE_PAYMENT_OFF
from haulier.kernel.call import Call, call_as
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.ids import hash_token, make_opaque_token

ANYBODY = frozenset({Account.PUBLIC})
DUE, PAID, OVER = "due", "paid", "over"


@writes(
    "create_payment_link",
    replayable=False,
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/payment-links"), GraphQL("createPaymentLink")),
    errors=(NOT_FOUND, PRICE_HIDDEN, ONLINE_PAYMENT_OFF, PAYMENT_NOT_DUE),
)
async def create_payment_link(call: Call, request: CreatePaymentLink) -> CreatedPaymentLink:
    """Create a payment link.

    Someone without an account, such as a traveller, can pay luggage, a locker rental or a fee by card. The link is
    valid for 30 days and can be paid once. Later refunds go to the card.
    """
    order = await due_of_order(call, PaymentPurpose(request.purpose), request.subject_id)
    await _require_visible(call, order)
    await require_active_account(call.work)
    if order.due.minor <= 0:
        raise PAYMENT_NOT_DUE()
    link, expires_at = make_opaque_token("hlpay"), call.now + LINK_LIFE
    await store.delete_expired_links(call.work, call.now)
    values = {**request.model_dump(), "token_sha256": hash_token(link), "expires_at": expires_at}
    await PaymentLinkRow.insert(call.work, **values)
    call.add_audit_subjects("user", order.customer_id)
    return CreatedPaymentLink(
        link=link, pay_url=f"{call.app.base_url}/pay#{link}", expires_at=call.local_time(expires_at)
    )


async def _require_visible(call: Call, order: DueOrder) -> None:
    """Require that the customer may see the price. Raises `PRICE_HIDDEN`."""
    customer = await get_customer_principal(call.work, call.business, order.customer_id)
    if order.family is not None and customer is not None:
        require_price_visible(customer.hidden_prices, order.family)


@reads(
    "get_payment_link",
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/payment-links/bill"), GraphQL("paymentLink")),
    limits=(RateLimit(120, 60, ("address",)),),
    errors=(PAYMENT_LINK_INVALID,),
)
async def get_payment_link(call: Call, request: PaymentLinkRef) -> LinkedBill:
    """Retrieve the bill of a payment link.

    Returns the amount due and whether the bill is paid or no longer payable.
    """
    bill = await open_payment_link(call, request.link)
    due = bill.order.due
    paid = due.minor <= 0 and await is_paid_online(bill.own, bill.purpose, bill.subject_id)
    return LinkedBill(
        business=(await require_client(bill.own.work, bill.own.client_id)).name,
        purpose=bill.purpose.value,
        subject_id=bill.subject_id,
        status=PAID if paid else DUE if due.minor > 0 else OVER,
        price_family=bill.order.family,
        payment_minor=due.minor,
        currency=due.currency,
    )


async def add_secret_of_bill(context: RequestContext, request: PaymentLinkRef, answer: LinkPayment) -> LinkPayment:
    """Add the payer's data."""
    async with context.app.database.read(None) as work:
        bill = await open_payment_link(call_as(context.app, context.principal, work), request.link)
    return await add_secret(context.app, bill.own.client_id, answer)


@writes(
    "start_linked_payment",
    replayable=False,
    audience=ANYBODY,
    interfaces=(Rest("POST", "/v1/payment-links/payment"), GraphQL("startLinkedPayment")),
    limits=(RateLimit(60, 3600, ("address",)),),
    after_commit=add_secret_of_bill,
    errors=(PAYMENT_LINK_INVALID, ONLINE_PAYMENT_OFF, PAYMENT_NOT_DUE),
)
async def start_linked_payment(call: Call, request: PaymentLinkRef) -> LinkPayment:
    """Start a card payment for a payment link.

    A repeated call returns the open payment. A payment that succeeds when nothing is due anymore is refunded to the
    card.
    """
    bill = await open_payment_link(call, request.link)
    if bill.order.due.minor <= 0:
        raise PAYMENT_NOT_DUE()
    order, what = bill.order, (bill.purpose, bill.subject_id)
    payment_id, _ = await begin_payment(bill.own, order.customer_id, *what, order.due, order.family, by_link=True)
    return LinkPayment(payment_id=payment_id, status=PaymentStatus.CREATING)
