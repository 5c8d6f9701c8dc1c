"""Facts about payments are written down: each counts once, whatever comes twice or in another order."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.billing.public import AccountKind
from haulier.contexts.payments.events import PaymentDisputed, PaymentRefunded, PaymentSucceeded
from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.actions.orders import pay_order_of
from haulier.contexts.payments.online_payments.actions.postings import (
    post_dispute,
    post_payment,
    take_refund,
    undo_refund,
)
from haulier.contexts.payments.online_payments.actions.work import FOLLOW_PAYMENT_JOB, FollowPayment
from haulier.contexts.payments.online_payments.rules import (
    OPEN_STATUSES,
    PaymentState,
    PaymentStatus,
    next_dispute_status,
    next_payment_state,
    next_refund_status,
    takes_money,
)
from haulier.contexts.payments.online_payments.store import DisputeRow, PaymentRow, RefundRow
from haulier.contexts.payments.ports import (
    DisputeFact,
    DisputeStatus,
    Fact,
    IntentFact,
    LookAgain,
    RefundFact,
    RefundStatus,
)
from haulier.kernel.call import Call


async def apply_facts(call: Call, facts: Sequence[Fact]) -> None:
    """Write down what a provider told. What is about no payment of ours changes nothing."""
    for fact in facts:
        row = await _payment_of(call, fact)
        if row is not None:
            await _apply(call, row, fact)


async def _payment_of(call: Call, fact: Fact) -> PaymentRow | None:
    row = await store.lock_payment_of_intent(call.work, fact.intent_ref)
    if row is None and isinstance(fact, IntentFact) and fact.payment_key:
        # Why: a notice may be faster than the answer to the request that began the payment, and than another notice, which
        # is waited for here and has written the reference by then.
        row = await store.lock_payment_of_key(call.work, fact.payment_key)
        if row is not None and row.intent_ref not in {None, fact.intent_ref}:
            return None
    return row


async def _apply(call: Call, row: PaymentRow, fact: Fact) -> None:
    match fact:
        case IntentFact():
            await _apply_intent(call, row, fact)
        case RefundFact():
            await _apply_refund(call, await settle(call, row), fact)
        case DisputeFact():
            await _apply_dispute(call, await settle(call, row), fact)
        case LookAgain():
            await call.enqueue(FOLLOW_PAYMENT_JOB, FollowPayment(row.id, once=True))


async def _apply_intent(call: Call, row: PaymentRow, fact: IntentFact) -> None:
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


async def settle(call: Call, row: PaymentRow) -> PaymentRow:
    """The money came: it is in the customer's credit, and pays the order that it is for. Once. The row must be locked."""
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
    if order_paid is False and row.by_link:  # whoever paid has no credit of their own
        await give_back_to_card(call, await _reread(call, row), row.amount_minor, "unspent")
    return await _reread(call, row)


async def give_back_to_card(call: Call, row: PaymentRow, minor: int, occasion: str) -> None:
    """Give a part of a payment back to the card, once for each occasion, and never more than is left. It must be locked."""
    key = f"{row.key}-{occasion}"
    minor = min(minor, row.amount_minor - row.refunded_minor - row.disputed_minor)
    if minor <= 0 or await RefundRow.find_by(call.work, key=key) is not None:
        return
    await begin_refund(call, row, minor, key, must=True)
    await call.enqueue(FOLLOW_PAYMENT_JOB, FollowPayment(row.id))


async def _apply_refund(call: Call, row: PaymentRow, fact: RefundFact) -> None:
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
    """Take money of a payment from the customer, to be given back; see `take_refund`. Returns the refund's id."""
    taken_from = await take_refund(call, row, minor, f"payment:{row.id}:{key}", must=must)
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
    """A refund did not reach the payer: the customer has the money again. `row` must be locked."""
    key, taken_from = f"payment:{row.id}:{refund.key}", AccountKind(refund.taken_from)
    await undo_refund(call, row, refund.amount_minor, key, taken_from)
    current = await _reread(call, row)
    changed = {"refunded_minor": current.refunded_minor - refund.amount_minor}
    await PaymentRow.update(call.work, row.id, changed)


async def _apply_dispute(call: Call, row: PaymentRow, fact: DisputeFact) -> None:
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
