"""The provider tells what became of payments."""

from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.actions.work import APPLY_NOTICE_JOB, ApplyNotice
from haulier.contexts.payments.online_payments.contract import PaymentEventReceived, ReceivePaymentEvent
from haulier.contexts.payments.online_payments.rules import PAYMENT_EVENT_UNREADABLE, PAYMENT_SIGNATURE_WRONG
from haulier.contexts.payments.ports import Notice, NoticeUnreadable, NoticeUnsigned, ProviderUnavailable
from haulier.contexts.payments.provider_accounts.queries import find_account_by_endpoint, open_provider
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.operations.declaration import RateLimit, Rest, writes
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.request_context import RequestContext

BODY_LIMIT_BYTES = 1_048_576


async def read_payment_notice(context: RequestContext, request: ReceivePaymentEvent) -> tuple[int, Notice]:
    """Whose notice it is and what it says, if its signature is right; before anything is written.

    Raises `NOT_FOUND`, `PAYMENT_SIGNATURE_WRONG`, `PAYMENT_EVENT_UNREADABLE`.
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
    doors=(Rest("POST", "/v1/payment-events/{endpoint_key}", headers={"signature": "Stripe-Signature"}),),
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
    if not await store.note_notice(work, notice.notice_ref, notice.kind, call.now):
        return PaymentEventReceived(repeated=True)
    if notice.fact is not None:
        await told.enqueue(APPLY_NOTICE_JOB, ApplyNotice(notice.fact))
        call.side_effects.extend(told.side_effects)
    return PaymentEventReceived(repeated=False)
