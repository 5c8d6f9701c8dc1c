"""Operations on card payments of linked purchases."""

from haulier.contexts.lockers.shop.public import SHOP_LINK_INVALID, ShopLink, get_due_of_linked_purchase
from haulier.contexts.payments.online_payments.actions import add_secret, begin_payment
from haulier.contexts.payments.online_payments.contract import LinkPayment
from haulier.contexts.payments.online_payments.rules import PAYMENT_NOT_DUE, PaymentPurpose, PaymentStatus
from haulier.contexts.payments.provider_accounts.rules import ONLINE_PAYMENT_OFF
from haulier.kernel.call import Call, call_as
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.request_context import RequestContext


async def add_secret_of_purchase(context: RequestContext, request: ShopLink, answer: LinkPayment) -> LinkPayment:
    """Add what the payer's page needs."""
    async with context.app.database.read(None) as work:
        own, _, _ = await get_due_of_linked_purchase(call_as(context.app, context.principal, work), request)
    return await add_secret(context.app, own.client_id, answer)


@writes(
    "start_linked_shop_payment",
    replayable=False,
    audience=frozenset({Account.PUBLIC}),
    interfaces=(Rest("POST", "/v1/shop-links/payment"), GraphQL("startLinkedShopPayment")),
    limits=(RateLimit(60, 3600, ("address",)),),
    after_commit=add_secret_of_purchase,
    errors=(SHOP_LINK_INVALID, ONLINE_PAYMENT_OFF, PAYMENT_NOT_DUE),
)
async def start_linked_shop_payment(call: Call, request: ShopLink) -> LinkPayment:
    """Start a card payment for a linked purchase.

    Repeating the call returns the open payment. If the payment succeeds after the reservation ended, it is refunded to
    the card.
    """
    own, purchase_id, order = await get_due_of_linked_purchase(call, request)
    if order.due.minor <= 0:
        raise PAYMENT_NOT_DUE()
    payment_id, _ = await begin_payment(
        own, order.customer_id, PaymentPurpose.SHOP_PURCHASE, purchase_id, order.due, order.family, by_link=True
    )
    return LinkPayment(payment_id=payment_id, status=PaymentStatus.CREATING)
