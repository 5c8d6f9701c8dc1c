"""Conversion of Stripe amounts, statuses and events, without requests."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from haulier.contexts.payments.ports import (
    DisputeEvent,
    DisputeStatus,
    IncompleteEvent,
    IntentEvent,
    IntentStatus,
    Notice,
    ProviderEvent,
    RefundEvent,
    RefundStatus,
)
from haulier.kernel.values.money import Money, currency_decimals

_IN_HUNDREDTHS = frozenset({"ISK", "UGX"})
"""Currencies without decimals whose amounts Stripe expects in hundredths."""
TEXT_MAX, CODE_MAX = 300, 60

INTENT_STATUSES: Mapping[str, IntentStatus] = {
    "requires_payment_method": IntentStatus.REQUIRES_PAYMENT_METHOD,
    "requires_confirmation": IntentStatus.REQUIRES_PAYMENT_METHOD,
    "requires_action": IntentStatus.REQUIRES_ACTION,
    "processing": IntentStatus.PROCESSING,
    "requires_capture": IntentStatus.PROCESSING,
    "succeeded": IntentStatus.SUCCEEDED,
    "canceled": IntentStatus.CANCELLED,
}
REFUND_STATUSES: Mapping[str, RefundStatus] = {
    "pending": RefundStatus.PENDING,
    "requires_action": RefundStatus.PENDING,
    "succeeded": RefundStatus.SUCCEEDED,
    "failed": RefundStatus.FAILED,
    "canceled": RefundStatus.FAILED,
}
DISPUTE_STATUSES: Mapping[str, DisputeStatus] = {
    "warning_needs_response": DisputeStatus.INQUIRY,
    "warning_under_review": DisputeStatus.INQUIRY,
    "warning_closed": DisputeStatus.INQUIRY,
    "prevented": DisputeStatus.INQUIRY,
    "needs_response": DisputeStatus.OPEN,
    "under_review": DisputeStatus.OPEN,
    "won": DisputeStatus.WON,
    "lost": DisputeStatus.LOST,
}
"""An inquiry (`warning_…`) withdraws no money. Stripe converts it to a dispute if the bank does."""


def stripe_amount(money: Money) -> int:
    """Convert an amount to Stripe's unit.

    Raises `ValueError` for amounts that Stripe does not support.
    """
    if money.currency in _IN_HUNDREDTHS:
        return money.minor * 100
    if currency_decimals(money.currency) == 3 and money.minor % 10:
        raise ValueError("of three decimals, the last must be zero")
    return money.minor


def money_of(amount: int, currency: str) -> Money:
    """Convert a Stripe amount to money.

    Raises `ValueError` for fractions of a minor unit.
    """
    code = currency.upper()
    if code in _IN_HUNDREDTHS:
        if amount % 100:
            raise ValueError(f"{amount} hundredths of {code}")
        return Money(amount // 100, code)
    return Money(amount, code)


def intent_fact(intent: Mapping[str, Any], at: int | None = None) -> IntentEvent:
    """Convert a PaymentIntent.

    `at` is the time of the event (seconds since the epoch), or None for the current state.
    """
    error = intent.get("last_payment_error") or {}
    return IntentEvent(
        intent_ref=str(intent["id"]),
        payment_key=(intent.get("metadata") or {}).get("payment_key"),
        status=INTENT_STATUSES[intent["status"]],
        money=money_of(int(intent["amount"]), intent["currency"]),
        at=None if at is None else datetime.fromtimestamp(at, UTC),
        failure_code=_short(error.get("decline_code") or error.get("code"), CODE_MAX),
        failure_text=_short(error.get("message"), TEXT_MAX),
    )


def refund_fact(refund: Mapping[str, Any]) -> RefundEvent:
    """Convert a Refund."""
    return RefundEvent(
        intent_ref=str(refund["payment_intent"]),
        refund_ref=str(refund["id"]),
        refund_key=(refund.get("metadata") or {}).get("refund_key"),
        status=REFUND_STATUSES[refund["status"]],
        money=money_of(int(refund["amount"]), refund["currency"]),
    )


def dispute_fact(dispute: Mapping[str, Any]) -> DisputeEvent:
    """Convert a Dispute."""
    return DisputeEvent(
        intent_ref=str(dispute["payment_intent"]),
        dispute_ref=str(dispute["id"]),
        status=DISPUTE_STATUSES[dispute["status"]],
        money=money_of(int(dispute["amount"]), dispute["currency"]),
        reason=str(dispute.get("reason") or "general")[:CODE_MAX],
    )


def read_event(event: Mapping[str, Any]) -> Notice:
    """Convert an Event.

    `fact` is None if the event is unrelated to payments or contains no new information.
    """
    kind, shown = str(event["type"]), event["data"]["object"]
    return Notice(notice_ref=str(event["id"]), kind=kind, fact=_fact(kind, shown, int(event["created"])))


def _fact(kind: str, shown: Mapping[str, Any], at: int) -> ProviderEvent | None:
    if kind.startswith("payment_intent.") and shown.get("object") == "payment_intent":
        return intent_fact(shown, at)
    if not shown.get("payment_intent"):
        return None
    if shown.get("object") == "refund":
        return refund_fact(shown)
    if shown.get("object") == "dispute":
        return dispute_fact(shown)
    if kind == "charge.refunded":
        # A charge no longer lists its refunds, so they have to be requested.
        return IncompleteEvent(intent_ref=str(shown["payment_intent"]))
    return None


def _short(text: Any, most: int) -> str | None:
    return str(text)[:most] if text else None
