"""The provider is asked: to begin a payment, to end it, to give money back, and what became of it.

Every question may be asked again: the provider makes one payment and one refund of each key, and what it tells counts
once. So nobody needs the right to ask; whoever waits and the job that follows may ask at the same moment.
"""

import logging
from collections.abc import Sequence
from datetime import datetime

from haulier.contexts.payments.online_payments import store
from haulier.contexts.payments.online_payments.actions.facts import apply_facts, fail_refund
from haulier.contexts.payments.online_payments.actions.postings import payment_money
from haulier.contexts.payments.online_payments.rules import PAYMENT_LIFE, PaymentStatus
from haulier.contexts.payments.online_payments.store import PaymentRow, RefundRow
from haulier.contexts.payments.ports import (
    Fact,
    PaymentProvider,
    PaymentWish,
    ProviderRefused,
    ProviderUnavailable,
    RefundStatus,
    RefundWish,
)
from haulier.contexts.payments.provider_accounts.queries import open_provider_of
from haulier.kernel.application import Application
from haulier.kernel.call import call_as_system

log = logging.getLogger("haulier.payments")


async def settle_payment(app: Application, client_id: int, payment_id: int) -> None:
    """Ask the provider what is still open of a payment, and write down what it says. What it does not answer stays open."""
    async with app.database.read(client_id) as work:
        row = await store.get_payment_row(work, payment_id)
        pending = [each for each in await store.list_refund_rows(work, [payment_id]) if _is_unsent(each)]
    if row is None:
        return
    try:
        provider = await open_provider_of(app, client_id)
        facts = await _ask(provider, row, app.clock())
        await _write(app, client_id, facts)
        for refund in pending:
            await _send_refund(app, client_id, provider, row, refund)
    except ProviderRefused as refusal:
        await _note_refusal(app, client_id, row, refusal)
    except ProviderUnavailable as outage:
        log.warning("online payment %s of client %s: %s", payment_id, client_id, outage)


def _is_unsent(refund: RefundRow) -> bool:
    return refund.status == RefundStatus.PENDING and refund.refund_ref is None


async def _ask(provider: PaymentProvider, row: PaymentRow, now: datetime) -> Sequence[Fact]:
    """Begin the payment where that was not done, end it where that is wanted, and else look how it stands."""
    if row.intent_ref is None:
        if row.open is None:
            return ()
        begun = await provider.create(_wish(row))
        return (begun, await provider.cancel(begun.intent_ref)) if _is_over(row, now) else (begun,)
    if row.open and _is_over(row, now):
        return (await provider.cancel(row.intent_ref),)
    return await provider.look_up(row.intent_ref)


def _is_over(row: PaymentRow, now: datetime) -> bool:
    return row.cancel_asked_at is not None or now >= row.created_at + PAYMENT_LIFE


def _wish(row: PaymentRow) -> PaymentWish:
    """The same at each attempt: providers refuse a key that comes with something else."""
    labels = {"payment_id": str(row.id), "customer_id": str(row.customer_id), "purpose": row.purpose}
    return PaymentWish(key=row.key, money=payment_money(row), description=f"Payment {row.id}", labels=labels)


async def _send_refund(
    app: Application, client_id: int, provider: PaymentProvider, row: PaymentRow, refund: RefundRow
) -> None:
    """Ask for a refund, once: where it may have been asked for before, `look_up` has told of it by now."""
    async with app.database.write(client_id) as work:
        current = await RefundRow.find_by(work, key=refund.key)
        if current is None or not _is_unsent(current) or row.intent_ref is None:
            return
        await RefundRow.update(work, refund.id, {"asked_at": refund.asked_at or app.clock()})
    wish = RefundWish(key=refund.key, intent_ref=row.intent_ref, money=payment_money(row, refund.amount_minor))
    try:
        fact = await provider.refund(wish)
    except ProviderRefused as refusal:
        log.warning("refund %s of client %s: %s", refund.id, client_id, refusal)
        await _give_up_refund(app, client_id, row, refund.key)
    else:
        await _write(app, client_id, (fact,))


async def _give_up_refund(app: Application, client_id: int, row: PaymentRow, key: str) -> None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        locked = await store.get_payment_row(work, row.id, lock=True)
        refund = await RefundRow.find_by(work, key=key)
        if locked is None or refund is None or not _is_unsent(refund):
            return
        await RefundRow.update(work, refund.id, {"status": RefundStatus.FAILED.value})
        await fail_refund(call, locked, refund)


async def _write(app: Application, client_id: int, facts: Sequence[Fact]) -> None:
    if facts:
        async with app.database.write(client_id) as work:
            await apply_facts(await call_as_system(app, client_id, work), facts)


async def _note_refusal(app: Application, client_id: int, row: PaymentRow, refusal: ProviderRefused) -> None:
    """A payment that the provider never began is over; any other stays as it is."""
    log.warning("online payment %s of client %s was refused: %s", row.id, client_id, refusal)
    async with app.database.write(client_id) as work:
        current = await store.get_payment_row(work, row.id, lock=True)
        if current is None or current.intent_ref is not None or current.open is None:
            return
        told = {"failure_code": refusal.code[: store.CODE_MAX] or None, "failure_text": str(refusal)[: store.TEXT_MAX]}
        await PaymentRow.update(work, row.id, {"status": PaymentStatus.REFUSED.value, "open": None, **told})
