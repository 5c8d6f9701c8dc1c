"""In-memory state of the simulated Stripe."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

Document = dict[str, Any]
Clock = Callable[[], datetime]
VERSION = "2024-06-20"


def utc_now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class KeptAnswer:
    """The stored answer to an idempotency key, with its request."""

    asked: str
    status: int
    body: Document


@dataclass
class Ledger:
    """A Stripe account, identified by its secret key."""

    intents: dict[str, Document] = field(default_factory=dict[str, Document])
    refunds: dict[str, Document] = field(default_factory=dict[str, Document])
    disputes: dict[str, Document] = field(default_factory=dict[str, Document])
    answers: dict[str, KeptAnswer] = field(default_factory=dict[str, KeptAnswer])
    events: list[Document] = field(default_factory=list[Document])


@dataclass
class PaymentBook:
    """The state of all accounts."""

    clock: Clock = utc_now
    accounts: dict[str, Ledger] = field(default_factory=dict[str, Ledger])
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def account(self, key: str) -> Ledger:
        """Return the account of a secret key."""
        return self.accounts.setdefault(key, Ledger())

    def new_id(self, prefix: str) -> str:
        """Return a unique id."""
        number = next(self._numbers)
        return f"{prefix}_{number:04d}{sha256(f'{prefix}{number}'.encode()).hexdigest()[:20]}"

    def seconds(self) -> int:
        """Return the current time in seconds, as Stripe does."""
        return int(self.clock().timestamp())

    def tell(self, account: Ledger, kind: str, shown: Document) -> Document:
        """Create an event with the current state of an object."""
        event: Document = {
            "id": self.new_id("evt"),
            "object": "event",
            "api_version": VERSION,
            "created": self.seconds(),
            "type": kind,
            "livemode": False,
            "pending_webhooks": 1,
            "request": {"id": None, "idempotency_key": None},
            "data": {"object": json.loads(json.dumps(shown))},
        }
        account.events.append(event)
        return event

    def find_intent(self, intent_id: str) -> tuple[Ledger, Document] | None:
        """Find an intent of any account, for the simulated payer."""
        for account in self.accounts.values():
            if intent_id in account.intents:
                return account, account.intents[intent_id]
        return None


def make_intent(book: PaymentBook, account: Ledger, form: Document) -> Document:
    """Create a payment intent without a payment method."""
    intent_id = book.new_id("pi")
    intent: Document = {
        "id": intent_id,
        "object": "payment_intent",
        "amount": int(form["amount"]),
        "amount_received": 0,
        "currency": form["currency"],
        "status": "requires_payment_method",
        "client_secret": f"{intent_id}_secret_{sha256(intent_id.encode()).hexdigest()[:24]}",
        "created": book.seconds(),
        "description": form.get("description"),
        "metadata": form.get("metadata", {}),
        "automatic_payment_methods": {"enabled": True, "allow_redirects": "always"},
        "payment_method_types": ["card"],
        "capture_method": "automatic_async",
        "confirmation_method": "automatic",
        "livemode": False,
        "canceled_at": None,
        "cancellation_reason": None,
        "last_payment_error": None,
        "latest_charge": None,
        "next_action": None,
        "payment_method": None,
    }
    account.intents[intent_id] = intent
    book.tell(account, "payment_intent.created", intent)
    return intent


def move_intent(book: PaymentBook, account: Ledger, intent: Document, outcome: str) -> None:
    """Simulate a payer's action: `pay`, `decline`, `ask_3ds` or `process`.

    Raises `ValueError` if it is impossible.
    """
    if intent["status"] in ("succeeded", "canceled"):
        raise ValueError(f"the intent is {intent['status']}")
    kind = {
        "pay": "succeeded",
        "decline": "payment_failed",
        "ask_3ds": "requires_action",
        "process": "processing",
    }[outcome]
    intent["next_action"], intent["last_payment_error"] = None, None
    if outcome == "pay":
        intent |= {"status": "succeeded", "amount_received": intent["amount"], "latest_charge": book.new_id("ch")}
        intent["payment_method"] = book.new_id("pm")
    elif outcome == "decline":
        error = {"type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds"}
        intent["last_payment_error"] = {**error, "message": "Your card has insufficient funds."}
        intent["status"] = "requires_payment_method"
    elif outcome == "ask_3ds":
        intent |= {"status": "requires_action", "payment_method": book.new_id("pm")}
        intent["next_action"] = {"type": "use_stripe_sdk", "use_stripe_sdk": {"type": "three_d_secure_redirect"}}
    else:
        intent["status"] = "processing"
    book.tell(account, f"payment_intent.{kind}", intent)


def make_refund(book: PaymentBook, account: Ledger, intent: Document, amount: int, metadata: Document) -> Document:
    """Create a refund. Raises `ValueError` for more than the remaining amount."""
    given = sum(
        each["amount"]
        for each in account.refunds.values()
        if each["payment_intent"] == intent["id"] and each["status"] not in ("failed", "canceled")
    )
    if intent["status"] != "succeeded" or not 0 < amount <= intent["amount_received"] - given:
        raise ValueError("Refund amount is greater than unrefunded amount on charge")
    refund: Document = {
        "id": book.new_id("re"),
        "object": "refund",
        "amount": amount,
        "charge": intent["latest_charge"],
        "created": book.seconds(),
        "currency": intent["currency"],
        "metadata": metadata,
        "payment_intent": intent["id"],
        "reason": None,
        "receipt_number": None,
        "status": "succeeded",
    }
    account.refunds[refund["id"]] = refund
    book.tell(account, "refund.created", refund)
    charge = {"id": intent["latest_charge"], "object": "charge", "payment_intent": intent["id"], "refunded": True}
    book.tell(account, "charge.refunded", {**charge, "amount": intent["amount"], "amount_refunded": given + amount})
    return refund


def fail_refund(book: PaymentBook, account: Ledger, refund: Document) -> None:
    """Fail a refund at the bank."""
    refund |= {"status": "failed", "failure_reason": "lost_or_stolen_card"}
    book.tell(account, "charge.refund.updated", refund)
    book.tell(account, "refund.failed", refund)


def make_dispute(book: PaymentBook, account: Ledger, intent: Document, reason: str) -> Document:
    """Create a dispute. Raises `ValueError` for an unpaid intent."""
    if intent["status"] != "succeeded":
        raise ValueError("nothing was paid")
    dispute: Document = {
        "id": book.new_id("dp"),
        "object": "dispute",
        "amount": intent["amount"],
        "balance_transactions": [],
        "charge": intent["latest_charge"],
        "created": book.seconds(),
        "currency": intent["currency"],
        "enhanced_eligibility_types": [],
        "evidence": {},
        "evidence_details": {"has_evidence": False, "past_due": False, "submission_count": 0},
        "is_charge_refundable": False,
        "livemode": False,
        "metadata": {},
        "payment_intent": intent["id"],
        "reason": reason,
        "status": "needs_response",
    }
    account.disputes[dispute["id"]] = dispute
    book.tell(account, "charge.dispute.created", dispute)
    book.tell(account, "charge.dispute.funds_withdrawn", dispute)
    return dispute


def close_dispute(book: PaymentBook, account: Ledger, dispute: Document, *, won: bool) -> None:
    """Close a dispute."""
    dispute["status"] = "won" if won else "lost"
    if won:
        book.tell(account, "charge.dispute.funds_reinstated", dispute)
    book.tell(account, "charge.dispute.closed", dispute)
