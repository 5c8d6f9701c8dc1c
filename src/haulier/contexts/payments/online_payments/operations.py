"""Operations on online payments."""

from hashlib import blake2b

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT, LEDGER_KEY_REUSED
from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.actions import (
    APPLY_NOTICE_JOB,
    FOLLOW_PAYMENT_JOB,
    ApplyNotice,
    FollowPayment,
    begin_payment,
    begin_refund,
    due_of_order,
    reconcile_payment,
)
from haulier.contexts.payments.online_payments.contract import (
    CreatedPayment,
    CreatePayment,
    ListPayments,
    PaymentAnswer,
    PaymentEventReceived,
    PaymentList,
    PaymentRef,
    PaymentSecret,
    ReceivePaymentEvent,
    RefundPayment,
)
from haulier.contexts.payments.online_payments.queries import get_visible_payment, load_payment
from haulier.contexts.payments.online_payments.rules import (
    OPEN_STATUSES,
    PAYMENT_EVENT_UNREADABLE,
    PAYMENT_NOT_DUE,
    PAYMENT_NOT_READY,
    PAYMENT_REFUND_TOO_MUCH,
    PAYMENT_SIGNATURE_WRONG,
    PAYMENT_STEP_REFUSED,
    PaymentPurpose,
    PaymentStatus,
    retry_delay,
)
from haulier.contexts.payments.online_payments.serializers import payment_summary
from haulier.contexts.payments.online_payments.store import PaymentRow, RefundRow
from haulier.contexts.payments.ports import (
    Notice,
    NoticeUnreadable,
    NoticeUnsigned,
    ProviderRefused,
    ProviderUnavailable,
)
from haulier.contexts.payments.provider_accounts.queries import (
    find_account_by_endpoint,
    open_provider,
    public_credentials,
    require_active_account,
)
from haulier.contexts.payments.provider_accounts.rules import ONLINE_PAYMENT_OFF
from haulier.kernel.call import Call, call_as, call_as_system
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, PriceFamily, Risk, Scope
from haulier.kernel.operations.errors import (
    CONFLICT,
    INVALID_REQUEST,
    NOT_FOUND,
    PRICE_HIDDEN,
    FieldError,
    record_not_found,
)
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.money import Money
from haulier.kernel.values.pagination import total_fields

BODY_LIMIT_BYTES = 1_048_576


async def read_payment_notice(context: RequestContext, request: ReceivePaymentEvent) -> tuple[int, Notice]:
    """Return the client and content of a notice with a valid signature.

    Runs before any write. Raises `NOT_FOUND`, `PAYMENT_SIGNATURE_WRONG`, `PAYMENT_EVENT_UNREADABLE`.
    """
    async with context.app.database.read(None) as work:
        account = await find_account_by_endpoint(work, request.endpoint_key)
    if account is None:
        raise record_not_found(endpoint_key=request.endpoint_key)
    try:
        provider = open_provider(context.app, account)
        return account.client_id, provider.read_notice(request.document, request.signature, context.app.clock())
    except (NoticeUnsigned, ProviderUnavailable):
        raise PAYMENT_SIGNATURE_WRONG() from None
    except NoticeUnreadable:
        raise PAYMENT_EVENT_UNREADABLE() from None


@writes(
    "receive_payment_event",
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/payment-events/{endpoint_key}", headers={"signature": "Stripe-Signature"}),),
    limits=(RateLimit(6000, 60),),
    body_limit_bytes=BODY_LIMIT_BYTES,
    prepare=read_payment_notice,
    errors=(NOT_FOUND, PAYMENT_SIGNATURE_WRONG, PAYMENT_EVENT_UNREADABLE),
)
async def receive_payment_event(call: Call, request: ReceivePaymentEvent) -> PaymentEventReceived:
    """Receive a payment notice of the provider.

    The notice is signed with the account's signing secret and processed shortly afterwards. Notices can be repeated and
    arrive in any order. A notice without a matching payment is accepted and ignored.
    """
    client_id, notice = call.prepared
    work = call.work.for_tenant(client_id, "the signature says whose notice it is")
    told = await call_as_system(call.app, client_id, work, now=call.now, dry_run=call.dry_run)
    if not await store.record_notice(work, notice.notice_ref, notice.kind, call.now):
        return PaymentEventReceived(repeated=True)
    if notice.fact is not None:
        await told.enqueue(APPLY_NOTICE_JOB, ApplyNotice(notice.fact))
        call.side_effects.extend(told.side_effects)
    return PaymentEventReceived(repeated=False)


PATH = "/v1/billing/payments"
ONE = f"{PATH}/{{payment_id}}"
CUSTOMER = frozenset({Account.CUSTOMER})
EITHER = OFFICE | CUSTOMER


async def query_payment(context: RequestContext, request: object, answer: PaymentAnswer) -> PaymentAnswer:
    """Query the provider and return the result. A job settles what is still unknown."""
    client_id = context.principal.client_id
    if client_id is None:
        return answer
    await reconcile_payment(context.app, client_id, answer.payment.payment_id)
    async with context.app.database.read(client_id) as work:
        call = call_as(context.app, context.principal, work, language=context.language)
        answer.payment = await load_payment(call, answer.payment.payment_id)
    return answer


@writes(
    "create_payment",
    audience=CUSTOMER,
    scopes={Scope.CUSTOMER_SHIPPING_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", PATH), GraphQL("createPayment")),
    limits=(RateLimit(60, 3600, ("user",)),),
    after_commit=query_payment,
    errors=(NOT_FOUND, PRICE_HIDDEN, ONLINE_PAYMENT_OFF, PAYMENT_NOT_DUE, CONFLICT),
)
async def create_payment(call: Call, request: CreatePayment) -> CreatedPayment:
    """Create an online payment.

    Buys credit, or pays the full amount due of an order. `get_payment_secret` returns the data that the payment page
    needs. An order has one open payment at a time: repeating the call returns it.
    """
    money, family = await _what_is_paid(call, request)
    payment_id, existing = await begin_payment(
        call, call.actor or 0, request.purpose, request.subject_id, money, family
    )
    return CreatedPayment(payment=await load_payment(call, payment_id), existing=existing)


async def _what_is_paid(call: Call, request: CreatePayment) -> tuple[Money, PriceFamily | None]:
    """Return the amount, and the price family. Raises the errors of `create_payment`."""
    if request.purpose is PaymentPurpose.TOP_UP:
        _require_field("amount_minor", request.amount_minor is not None)
        _require_field("subject_id", request.subject_id is None, "field.extra_forbidden")
        return Money(request.amount_minor or 0, request.currency or call.business.currency), None
    _require_field("subject_id", request.subject_id is not None)
    for name in ("amount_minor", "currency"):
        _require_field(name, getattr(request, name) is None, "field.extra_forbidden")
    order = await due_of_order(call, request.purpose, request.subject_id or 0)
    if order.family is not None:
        require_price_visible(call.principal.hidden_prices, order.family)
    if order.due.minor <= 0:
        raise PAYMENT_NOT_DUE()
    return order.due, order.family


def _require_field(name: str, right: bool, message: str = "field.missing") -> None:
    if not right:
        raise INVALID_REQUEST.for_fields(FieldError(name, message))


@reads(
    "list_payments",
    audience=EITHER,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("payments")),
)
async def list_payments(call: Call, request: ListPayments) -> PaymentList:
    """List online payments, newest first.

    Customers see only their own; staff see all.
    """
    wanted = request.model_dump(include={"status", "purpose", "customer_id"}, exclude_none=True)
    if call.principal.account is Account.CUSTOMER:
        wanted["customer_id"] = call.actor
    rows, counted = await store.list_payment_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return PaymentList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        payments=[payment_summary(call, row) for row in rows],
    )


@reads(
    "get_payment",
    audience=EITHER,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", ONE), GraphQL("payment")),
    errors=(NOT_FOUND,),
)
async def get_payment(call: Call, request: PaymentRef) -> PaymentAnswer:
    """Retrieve an online payment.

    Includes its refunds.
    """
    return PaymentAnswer(payment=await load_payment(call, request.payment_id))


async def request_secret(context: RequestContext, request: PaymentRef) -> PaymentSecret:
    """Return the payer's data.

    Raises `NOT_FOUND`, `PAYMENT_NOT_READY`, `PAYMENT_STEP_REFUSED`.
    """
    async with context.app.database.read(context.principal.client_id) as work:
        call = call_as(context.app, context.principal, work)
        row = await get_visible_payment(call, request.payment_id)
        if row.open is None:
            raise PAYMENT_STEP_REFUSED(status=row.status)
        account = await require_active_account(work)
    if row.intent_ref is None:
        raise PAYMENT_NOT_READY()
    try:
        secret = await open_provider(context.app, account).client_secret(row.intent_ref)
        key = public_credentials(context.app, account).get("publishable_key")
    except (ProviderRefused, ProviderUnavailable):
        raise PAYMENT_NOT_READY() from None
    return PaymentSecret(payment_id=row.id, client_secret=secret, publishable_key=key)


@reads(
    "get_payment_secret",
    audience=CUSTOMER,
    scopes={Scope.CUSTOMER_SHIPPING_WRITE},
    interfaces=(Rest("GET", f"{ONE}/secret"), GraphQL("paymentSecret")),
    limits=(RateLimit(120, 3600, ("user",)),),
    prepare=request_secret,
    errors=(NOT_FOUND, ONLINE_PAYMENT_OFF, PAYMENT_NOT_READY, PAYMENT_STEP_REFUSED),
)
async def get_payment_secret(call: Call, request: PaymentRef) -> PaymentSecret:
    """Retrieve the secret of an online payment.

    The script of the payment provider needs it to accept a card. It is not stored.
    """
    secret: PaymentSecret = call.prepared
    return secret


@writes(
    "cancel_payment",
    available_when={"status": frozenset(OPEN_STATUSES)},
    audience=EITHER,
    scopes={Scope.CUSTOMER_SHIPPING_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ONE}/cancel"), GraphQL("cancelPayment")),
    after_commit=query_payment,
    errors=(NOT_FOUND, PAYMENT_STEP_REFUSED),
)
async def cancel_payment(call: Call, request: PaymentRef) -> PaymentAnswer:
    """Cancel an online payment.

    If the payment succeeded in the meantime, the response says so.
    """
    row = await get_visible_payment(call, request.payment_id, lock=True)
    if row.open is None:
        raise PAYMENT_STEP_REFUSED(status=row.status)
    await PaymentRow.update(call.work, row.id, {"cancel_asked_at": row.cancel_asked_at or call.now})
    call.add_audit_subjects("online_payment", row.id)
    return PaymentAnswer(payment=await load_payment(call, row.id))


@writes(
    "refund_payment",
    available_when={"status": PaymentStatus.SUCCEEDED.value},
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{ONE}/refund"), GraphQL("refundPayment")),
    after_commit=query_payment,
    errors=(NOT_FOUND, PAYMENT_STEP_REFUSED, PAYMENT_REFUND_TOO_MUCH, CREDIT_INSUFFICIENT, LEDGER_KEY_REUSED),
)
async def refund_payment(call: Call, request: RefundPayment) -> PaymentAnswer:
    """Refund an online payment in full or part.

    The refund goes to the payer's card or bank and is deducted from the customer's credit. Each reference is refunded
    once. Payments of an order return to the credit when the order is cancelled.
    """
    row = await get_visible_payment(call, request.payment_id, lock=True)
    key = f"{row.key}-{blake2b(request.reference.encode(), digest_size=8).hexdigest()}"
    before = await RefundRow.find_by(call.work, key=key)
    if before is not None and request.amount_minor not in (None, before.amount_minor):
        raise LEDGER_KEY_REUSED(key=request.reference)
    if before is None:
        if row.status != PaymentStatus.SUCCEEDED:
            raise PAYMENT_STEP_REFUSED(status=row.status)
        left = row.amount_minor - row.refunded_minor - row.disputed_minor
        minor = request.amount_minor or left
        if not 0 < minor <= left:
            raise PAYMENT_REFUND_TOO_MUCH(left=str(Money(left, row.currency)))
        await begin_refund(call, row, minor, key, must=False, reference=request.reference, reason=request.reason)
        await call.enqueue(FOLLOW_PAYMENT_JOB, FollowPayment(row.id), run_at=call.now + retry_delay(0))
    call.add_audit_subjects("online_payment", row.id)
    return PaymentAnswer(payment=await load_payment(call, row.id))
