"""Writes of online payments for other families.

Every request is repeatable: the provider makes one payment and one refund per key, and its facts count once. So no
lease is needed; the caller and the job that follows may send requests concurrently.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from secrets import token_hex
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.events import CreditChanged, PaymentReturned
from haulier.contexts.billing.public import (
    CREDIT_INSUFFICIENT,
    AccountKey,
    AccountKind,
    DueOrder,
    MoneySubject,
    Payable,
    Payables,
    TransferKind,
    make_posting,
    post,
    top_up,
)
from haulier.contexts.payments.events import PaymentDisputed, PaymentRefunded, PaymentSucceeded
from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.contract import LinkPayment
from haulier.contexts.payments.online_payments.rules import (
    OPEN_STATUSES,
    PAYMENT_LIFE,
    PAYMENT_STEP_REFUSED,
    PaymentPurpose,
    PaymentState,
    PaymentStatus,
    next_dispute_status,
    next_payment_state,
    next_refund_status,
    retry_delay,
    takes_money,
)
from haulier.contexts.payments.online_payments.store import DisputeRow, PaymentRow, RefundRow
from haulier.contexts.payments.ports import (
    DisputeEvent,
    DisputeStatus,
    IncompleteEvent,
    IntentEvent,
    IntentStatus,
    PaymentProvider,
    PaymentRequest,
    ProviderEvent,
    ProviderRefused,
    ProviderUnavailable,
    RefundEvent,
    RefundRequest,
    RefundStatus,
)
from haulier.contexts.payments.provider_accounts.queries import (
    open_provider,
    open_provider_of,
    public_credentials,
    require_active_account,
)
from haulier.contexts.payments.provider_accounts.rules import ONLINE_PAYMENT_OFF
from haulier.kernel.application import Application
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import (
    CONFLICT,
    INVALID_REQUEST,
    NOT_FOUND,
    FieldError,
    OperationError,
    record_not_found,
)
from haulier.kernel.values.money import Money


async def due_of_order(call: Call, purpose: PaymentPurpose, order_id: int) -> DueOrder:
    """Return the amount due of a visible order. Raises `NOT_FOUND`."""
    payable = _find_payable(call, purpose)
    if payable is None:
        raise NOT_FOUND()
    return await payable.get_due(call, order_id)


def _find_payable(call: Call, purpose: PaymentPurpose) -> Payable | None:
    """Return the kind of record that a payment is for, or None if not loaded."""
    return call.adapter(Payables).by_purpose.get(purpose.value)


async def pay_order_of(call: Call, row: PaymentRow) -> bool | None:
    """Pay the order of a payment from its credit; None for a top-up.

    False if the order no longer takes payments, the credit is too small, or the module of the order is not loaded:
    the money stays in the credit.
    """
    if row.subject_id is None:
        return None
    payable = _find_payable(call, PaymentPurpose(row.purpose))
    if payable is None:
        return False
    try:
        async with call.savepoint():
            await payable.pay(call, row.subject_id)
    except OperationError:
        return False
    return True


PROVIDER = AccountKey(AccountKind.ONLINE)


def payment_money(row: PaymentRow, minor: int | None = None) -> Money:
    """Return the amount of a payment, or another one in its currency."""
    return Money(row.amount_minor if minor is None else minor, row.currency)


def _subject(row: PaymentRow) -> MoneySubject:
    # With the family: the amount is the price of the order, which a statement must not reveal if it is hidden.
    return MoneySubject("online_payment", row.id, PriceFamily(row.price_family) if row.price_family else None)


async def post_payment(call: Call, row: PaymentRow) -> None:
    """Credit a payment to the customer."""
    key = f"payment:{row.id}:settle"
    money, subject = payment_money(row), _subject(row)
    posted = await top_up(call, row.customer_id, money, key=key, paid_into=AccountKind.ONLINE, subject=subject)
    if not posted.repeated:
        kind = TransferKind.TOP_UP.value
        await call.publish(CreditChanged(customer_id=row.customer_id, transfer_id=posted.transfer_id, reason_kind=kind))


async def apply_refund(call: Call, row: PaymentRow, minor: int, key: str, *, must: bool) -> AccountKind:
    """Debit a refund from the customer's credit. Return the account debited.

    If the credit is too small: raises `CREDIT_INSUFFICIENT`, or, with `must` because the provider has refunded it
    already, the customer owes it.
    """
    try:
        await _move(call, row, minor, f"{key}:taken", AccountKind.WALLET, back=False)
    except OperationError as error:
        if not must or error.error_type is not CREDIT_INSUFFICIENT:
            raise
        await _move(call, row, minor, f"{key}:taken", AccountKind.PAYMENT_CLAIMS, back=False)
        return AccountKind.PAYMENT_CLAIMS
    return AccountKind.WALLET


async def undo_refund(call: Call, row: PaymentRow, minor: int, key: str, taken_from: AccountKind) -> None:
    """Return the money of a failed refund."""
    await _move(call, row, minor, f"{key}:back", taken_from, back=True)


async def post_dispute(call: Call, row: PaymentRow, minor: int, dispute_id: int, *, won: bool) -> None:
    """Debit a disputed amount from the customer, or return it if `won`."""
    key = f"payment:{row.id}:dispute:{dispute_id}:{'won' if won else 'taken'}"
    await _move(call, row, minor, key, AccountKind.PAYMENT_CLAIMS, back=won)


async def _move(call: Call, row: PaymentRow, minor: int, key: str, kind: AccountKind, *, back: bool) -> None:
    """Move money from a customer's account to the provider, or `back`."""
    sides = (AccountKey(kind, row.customer_id), PROVIDER)
    debit, credit = sides[::-1] if back else sides
    money = payment_money(row, minor)
    await post(call, make_posting(TransferKind.ONLINE_RETURN, key, debit, credit, money, subject=_subject(row)))


FOLLOW_PAYMENT_JOB = "follow_online_payment"
APPLY_NOTICE_JOB = "apply_payment_notice"


class FollowPayment(Struct, frozen=True):
    """Job arguments: a payment, and the number of requests.

    `once`: no further request.
    """

    payment_id: int
    round: int = 0
    once: bool = False


class ApplyNotice(Struct, frozen=True):
    """Job arguments: the contents of a notice."""

    fact: IntentEvent | RefundEvent | DisputeEvent | IncompleteEvent


async def begin_payment(
    call: Call,
    customer_id: int,
    purpose: PaymentPurpose,
    subject_id: int | None,
    money: Money,
    family: PriceFamily | None,
    *,
    by_link: bool = False,
) -> tuple[int, bool]:
    """Begin a payment. Return its id, and True if it was already open.

    Raises `ONLINE_PAYMENT_OFF`, `INVALID_REQUEST` for an amount that the provider does not accept, and `CONFLICT` if a
    payment of another amount is open.
    """
    account = await require_active_account(call.work)
    try:
        payable = open_provider(call.app, account).takes(money)
    except ProviderUnavailable:
        raise ONLINE_PAYMENT_OFF() from None
    if not payable:
        raise INVALID_REQUEST.for_fields(FieldError("amount_minor", "field.amount_not_payable"))
    values = {
        "customer_id": customer_id,
        "purpose": purpose.value,
        "subject_id": subject_id,
        "price_family": family and family.value,
        "status": PaymentStatus.CREATING.value,
        "open": True,
        "amount_minor": money.minor,
        "refunded_minor": 0,
        "disputed_minor": 0,
        "currency": money.currency,
        "by_link": by_link,
        "key": f"haulier-{token_hex(12)}",
        "created_at": call.now,
    }
    try:
        async with call.savepoint():
            payment_id = await PaymentRow.insert(call.work, **values)
    except UniqueConflict:
        before = await store.get_open_payment(call.work, purpose.value, subject_id or 0)
        if before is None or before.amount_minor != money.minor:
            raise CONFLICT() from None
        if by_link and not before.by_link:
            await PaymentRow.update(call.work, before.id, {"by_link": True})
        return before.id, True
    call.add_audit_subjects("online_payment", payment_id)
    await call.enqueue(FOLLOW_PAYMENT_JOB, FollowPayment(payment_id), run_at=call.now + retry_delay(0))
    return payment_id, False


async def apply_provider_events(call: Call, facts: Sequence[ProviderEvent]) -> None:
    """Record facts from a provider. Facts about unknown payments are ignored."""
    for fact in facts:
        row = await _payment_of(call, fact)
        if row is not None:
            await _apply(call, row, fact)


async def _payment_of(call: Call, fact: ProviderEvent) -> PaymentRow | None:
    row = await store.lock_payment_of_intent(call.work, fact.intent_ref)
    if row is None and isinstance(fact, IntentEvent) and fact.payment_key:
        # A notice can arrive before the response to the request, and before another notice; waiting here lets that one
        # write the reference.
        row = await store.lock_payment_of_key(call.work, fact.payment_key)
        if row is not None and row.intent_ref not in {None, fact.intent_ref}:
            return None
    return row


async def _apply(call: Call, row: PaymentRow, fact: ProviderEvent) -> None:
    match fact:
        case IntentEvent():
            await _apply_intent(call, row, fact)
        case RefundEvent():
            await _apply_refund(call, await settle(call, row), fact)
        case DisputeEvent():
            await _apply_dispute(call, await settle(call, row), fact)
        case IncompleteEvent():
            await call.enqueue(FOLLOW_PAYMENT_JOB, FollowPayment(row.id, once=True))


async def _apply_intent(call: Call, row: PaymentRow, fact: IntentEvent) -> None:
    at = fact.at or call.now
    state = next_payment_state(PaymentState(PaymentStatus(row.status), row.seen_at), fact.status, at)
    newest = row.seen_at is None or at >= row.seen_at
    failure = {"failure_code": fact.failure_code, "failure_text": fact.failure_text} if newest else {}
    if state.status is PaymentStatus.SUCCEEDED:
        await PaymentRow.update(call.work, row.id, {"intent_ref": fact.intent_ref})
        await settle(call, row)
        return
    if row.status == PaymentStatus.REFUSED:
        return
    values: dict[str, Any] = {
        "intent_ref": fact.intent_ref,
        "status": state.status.value,
        "seen_at": state.seen_at,
        **failure,
    }
    values["open"] = True if state.status in OPEN_STATUSES else None
    await PaymentRow.update(call.work, row.id, values)


async def conclude_simulated_payment(call: Call, payment_id: int, *, paid: bool) -> tuple[str, str]:
    """Let a payment of a test business succeed or be declined.

    Return its status before and after.

    Raises `NOT_FOUND` or `PAYMENT_STEP_REFUSED`.
    """
    row = await store.get_payment_row(call.work, payment_id, lock=True)
    if row is None:
        raise record_not_found(payment_id=payment_id)
    if row.open is None or row.intent_ref is None:
        raise PAYMENT_STEP_REFUSED(status=row.status)
    event = IntentEvent(
        intent_ref=row.intent_ref,
        payment_key=row.key,
        status=IntentStatus.SUCCEEDED if paid else IntentStatus.REQUIRES_PAYMENT_METHOD,
        money=payment_money(row),
        at=call.now,
        failure_code=None if paid else "card_declined",
        failure_text=None if paid else "The simulated card was declined.",
    )
    await _apply(call, row, event)
    call.add_audit_subjects("online_payment", row.id)
    return row.status, (await _reread(call, row)).status


async def settle(call: Call, row: PaymentRow) -> PaymentRow:
    """Settle a payment: credit it and pay its order, once. The row must be locked."""
    if row.status == PaymentStatus.SUCCEEDED:
        return row
    await post_payment(call, row)
    order_paid = await pay_order_of(call, row)
    done = {"status": PaymentStatus.SUCCEEDED.value, "open": None, "failure_code": None, "failure_text": None}
    await PaymentRow.update(call.work, row.id, {**done, "order_paid": order_paid, "settled_at": call.now})
    call.add_audit_subjects("online_payment", row.id)
    await call.publish(
        PaymentSucceeded(
            payment_id=row.id,
            customer_id=row.customer_id,
            purpose=row.purpose,
            subject_id=row.subject_id,
            order_paid=bool(order_paid),
        )
    )
    if order_paid is False and row.by_link:  # the payer has no credit of their own
        await refund_to_card(call, await _reread(call, row), row.amount_minor, "unspent")
    return await _reread(call, row)


async def refund_to_card(call: Call, row: PaymentRow, minor: int, occasion: str) -> None:
    """Refund part of a payment to the card, once per occasion. It must be locked.

    Never more than is left.
    """
    key = f"{row.key}-{occasion}"
    minor = min(minor, row.amount_minor - row.refunded_minor - row.disputed_minor)
    if minor <= 0 or await RefundRow.find_by(call.work, key=key) is not None:
        return
    await begin_refund(call, row, minor, key, must=True)
    await call.enqueue(FOLLOW_PAYMENT_JOB, FollowPayment(row.id))


async def _apply_refund(call: Call, row: PaymentRow, fact: RefundEvent) -> None:
    refund = await RefundRow.find_by(call.work, refund_ref=fact.refund_ref)
    if refund is None and fact.refund_key:
        refund = await RefundRow.find_by(call.work, key=fact.refund_key)
    if refund is None:
        await begin_refund(
            call, row, fact.money.minor, f"provider:{fact.refund_ref}", must=True, refund_ref=fact.refund_ref
        )
        refund = await RefundRow.find_by(call.work, refund_ref=fact.refund_ref)
    if refund is None or refund.payment_id != row.id:
        return
    status = next_refund_status(RefundStatus(refund.status), fact.status)
    await RefundRow.update(call.work, refund.id, {"refund_ref": fact.refund_ref, "status": status.value})
    if status is RefundStatus.FAILED and refund.status != RefundStatus.FAILED:
        await fail_refund(call, row, refund)


async def begin_refund(
    call: Call,
    row: PaymentRow,
    minor: int,
    key: str,
    *,
    must: bool,
    refund_ref: str | None = None,
    reference: str | None = None,
    reason: str | None = None,
) -> int:
    """Begin a refund of a payment; see `apply_refund`. Return its id."""
    taken_from = await apply_refund(call, row, minor, f"payment:{row.id}:{key}", must=must)
    refund_id = await RefundRow.insert(
        call.work,
        payment_id=row.id,
        key=key,
        reference=reference,
        refund_ref=refund_ref,
        status=RefundStatus.PENDING.value,
        amount_minor=minor,
        taken_from=taken_from.value,
        reason=reason,
        by_user_id=call.actor,
        created_at=call.now,
    )
    await PaymentRow.update(call.work, row.id, {"refunded_minor": row.refunded_minor + minor})
    call.add_audit_subjects("online_payment", row.id)
    await call.publish(PaymentRefunded(payment_id=row.id, customer_id=row.customer_id, refund_id=refund_id))
    return refund_id


async def fail_refund(call: Call, row: PaymentRow, refund: store.RefundRow) -> None:
    """Fail a refund and return its money to the customer. `row` must be locked."""
    key, taken_from = f"payment:{row.id}:{refund.key}", AccountKind(refund.taken_from)
    await undo_refund(call, row, refund.amount_minor, key, taken_from)
    current = await _reread(call, row)
    changed = {"refunded_minor": current.refunded_minor - refund.amount_minor}
    await PaymentRow.update(call.work, row.id, changed)


async def _apply_dispute(call: Call, row: PaymentRow, fact: DisputeEvent) -> None:
    known = await DisputeRow.find_by(call.work, dispute_ref=fact.dispute_ref)
    before = DisputeStatus(known.status) if known else DisputeStatus.INQUIRY
    status = next_dispute_status(before, fact.status)
    if known is None:
        dispute_id = await DisputeRow.insert(
            call.work,
            payment_id=row.id,
            dispute_ref=fact.dispute_ref,
            status=status.value,
            amount_minor=fact.money.minor,
            reason=fact.reason[: store.CODE_MAX],
            created_at=call.now,
        )
    else:
        await DisputeRow.update(call.work, dispute_id := known.id, {"status": status.value})
    minor, disputed = (known.amount_minor if known else fact.money.minor), row.disputed_minor
    if takes_money(status) and not takes_money(before):
        await post_dispute(call, row, minor, dispute_id, won=False)
        disputed += minor
    if status is DisputeStatus.WON and before is not DisputeStatus.WON:
        await post_dispute(call, row, minor, dispute_id, won=True)
        disputed -= minor
    if status is not before:
        await PaymentRow.update(call.work, row.id, {"disputed_minor": disputed})
        call.add_audit_subjects("online_payment", row.id)
        news = PaymentDisputed(payment_id=row.id, customer_id=row.customer_id, dispute_status=status.value)
        await call.publish(news)


async def _reread(call: Call, row: PaymentRow) -> PaymentRow:
    return await store.get_payment_row(call.work, row.id) or row


log = logging.getLogger("haulier.payments")


async def reconcile_payment(app: Application, client_id: int, payment_id: int) -> None:
    """Query the provider about open parts of a payment and record its answers.

    Unanswered parts stay open.
    """
    async with app.database.read(client_id) as work:
        row = await store.get_payment_row(work, payment_id)
        pending = [each for each in await store.list_refund_rows(work, [payment_id]) if _is_unsent(each)]
    if row is None:
        return
    try:
        provider = await open_provider_of(app, client_id)
        facts = await _call_provider(provider, row, app.clock())
        await _write(app, client_id, facts)
        for refund in pending:
            await _send_refund(app, client_id, provider, row, refund)
    except ProviderRefused as refusal:
        await _record_refusal(app, client_id, row, refusal)
    except ProviderUnavailable as outage:
        log.warning("online payment %s of client %s: %s", payment_id, client_id, outage)


def _is_unsent(refund: RefundRow) -> bool:
    return refund.status == RefundStatus.PENDING and refund.refund_ref is None


async def _call_provider(provider: PaymentProvider, row: PaymentRow, now: datetime) -> Sequence[ProviderEvent]:
    """Begin, cancel or query a payment at the provider."""
    if row.intent_ref is None:
        if row.open is None:
            return ()
        begun = await provider.create(_build_payment_request(row))
        return (begun, await provider.cancel(begun.intent_ref)) if _is_over(row, now) else (begun,)
    if row.open and _is_over(row, now):
        return (await provider.cancel(row.intent_ref),)
    return await provider.fetch_events(row.intent_ref)


def _is_over(row: PaymentRow, now: datetime) -> bool:
    return row.cancel_asked_at is not None or now >= row.created_at + PAYMENT_LIFE


def _build_payment_request(row: PaymentRow) -> PaymentRequest:
    """Return the payment request, equal in each attempt.

    Providers reject a key with other content.
    """
    labels = {"payment_id": str(row.id), "customer_id": str(row.customer_id), "purpose": row.purpose}
    return PaymentRequest(key=row.key, money=payment_money(row), description=f"Payment {row.id}", labels=labels)


async def _send_refund(
    app: Application, client_id: int, provider: PaymentProvider, row: PaymentRow, refund: RefundRow
) -> None:
    """Request a refund, once: `fetch_events` has reported an earlier request by now."""
    async with app.database.write(client_id) as work:
        current = await RefundRow.find_by(work, key=refund.key)
        if current is None or not _is_unsent(current) or row.intent_ref is None:
            return
        await RefundRow.update(work, refund.id, {"asked_at": refund.asked_at or app.clock()})
    wish = RefundRequest(key=refund.key, intent_ref=row.intent_ref, money=payment_money(row, refund.amount_minor))
    try:
        fact = await provider.refund(wish)
    except ProviderRefused as refusal:
        log.warning("refund %s of client %s: %s", refund.id, client_id, refusal)
        await _fail_refund(app, client_id, row, refund.key)
    else:
        await _write(app, client_id, (fact,))


async def _fail_refund(app: Application, client_id: int, row: PaymentRow, key: str) -> None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        locked = await store.get_payment_row(work, row.id, lock=True)
        refund = await RefundRow.find_by(work, key=key)
        if locked is None or refund is None or not _is_unsent(refund):
            return
        await RefundRow.update(work, refund.id, {"status": RefundStatus.FAILED.value})
        await fail_refund(call, locked, refund)


async def _write(app: Application, client_id: int, facts: Sequence[ProviderEvent]) -> None:
    if facts:
        async with app.database.write(client_id) as work:
            await apply_provider_events(await call_as_system(app, client_id, work), facts)


async def _record_refusal(app: Application, client_id: int, row: PaymentRow, refusal: ProviderRefused) -> None:
    """End a payment that the provider never began; others are unchanged."""
    log.warning("online payment %s of client %s was refused: %s", row.id, client_id, refusal)
    async with app.database.write(client_id) as work:
        current = await store.get_payment_row(work, row.id, lock=True)
        if current is None or current.intent_ref is not None or current.open is None:
            return
        told = {"failure_code": refusal.code[: store.CODE_MAX] or None, "failure_text": str(refusal)[: store.TEXT_MAX]}
        await PaymentRow.update(work, row.id, {"status": PaymentStatus.REFUSED.value, "open": None, **told})


@before_commit(PaymentReturned)
async def on_money_returned(call: Call, events: Sequence[DomainEvent]) -> None:
    """Refund link payments to the card when they return to the credit.

    In the same transaction.
    """
    for event in events:
        if isinstance(event, PaymentReturned):
            row = await store.lock_paid_payment(call.work, event.purpose, event.subject_id)
            if row is not None and row.by_link:
                await refund_to_card(call, row, event.amount_minor, event.occasion)


async def add_secret(app: Application, client_id: int, answer: LinkPayment) -> LinkPayment:
    """Query the provider and add the payer's secret. The same call repeats it."""
    await reconcile_payment(app, client_id, answer.payment_id)
    async with app.database.read(client_id) as work:
        row = await store.get_payment_row(work, answer.payment_id)
        account = await require_active_account(work)
    if row is None:
        return answer
    answer.status = PaymentStatus(row.status)
    if row.open and row.intent_ref:
        try:
            provider = open_provider(app, account)
            answer.client_secret = await provider.client_secret(row.intent_ref)
            answer.payer_script = provider.payer_script
            answer.publishable_key = public_credentials(app, account).get("publishable_key")
        except (ProviderRefused, ProviderUnavailable):
            return answer
    return answer
