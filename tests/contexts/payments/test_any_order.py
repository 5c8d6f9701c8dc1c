"""The ledger matches reality after any order of payments and notices."""

from contextlib import suppress
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from tests.contexts.billing.ledger.makers import faults, make_call
from tests.contexts.payments.makers import Stripe, account_balances, make_payment, make_stripe, shown
from tests.support import databases
from tests.support.app_machines import AppMachine, machine

from haulier.adapters.payments.stripe_objects import read_event
from haulier.contexts.payments.online_payments.actions import apply_provider_events

which = st.integers(0, 50)
STEPS = ("decline", "ask_3ds", "process", "pay", "refund", "fail_refund", "dispute", "win", "lose")
NEEDS = {
    "refund": ("pay",),
    "fail_refund": ("pay", "refund"),
    "dispute": ("pay",),
    "win": ("pay", "dispute"),
    "lose": ("pay", "dispute"),
}
"""Required earlier steps, run first where possible."""
AMOUNT = 5000


class APayer(AppMachine):
    """Payments of one customer, a simulated Stripe, and notices at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.stripe: Stripe = self.wait(make_stripe(self.app))
        self.payments: list[int] = []

    @rule()
    def begin(self) -> None:
        if len(self.payments) < 3:
            self.payments.append(self.wait(make_payment(self.app)).payment_id)

    @precondition(lambda self: self.payments)
    @rule(n=which, step=st.sampled_from(STEPS))
    def happen(self, n: int, step: str) -> None:
        intent = self.stripe.intents[n % len(self.stripe.intents)]
        for each in (*NEEDS.get(step, ()), step):
            with suppress(ValueError, LookupError):
                self.stripe.play(each, intent=intent, amount=AMOUNT // 3 if each == "refund" else None)

    @precondition(lambda self: self.payments)
    @rule(numbers=st.lists(which, min_size=1, max_size=4))
    def tell(self, numbers: list[int]) -> None:
        events = self.stripe.account.events
        self.apply([events[number % len(events)] for number in numbers])

    def apply(self, events: list[dict[str, Any]]) -> None:
        async def applied() -> None:
            async with make_call(self.app) as call:
                await apply_provider_events(
                    call, [fact for event in events if (fact := read_event(event).fact) is not None]
                )

        self.wait(applied())

    def teardown(self) -> None:
        self.apply(self.stripe.account.events[::-1])
        expected = 0
        for payment_id, intent_id in zip(self.payments, self.stripe.intents, strict=True):
            expected += self.check(payment_id, intent_id)
        found = self.wait(account_balances(self.app))
        online, wallet, claims = (found.get(kind, 0) for kind in ("online", "wallet", "payment_claims"))
        assert (online, wallet - claims) == (expected, expected)
        assert self.wait(faults(self.app)) == []
        super().teardown()

    def check(self, payment_id: int, intent_id: str) -> int:
        """Check that the record matches the remaining payment at Stripe."""
        account = self.stripe.account
        intent = account.intents[intent_id]
        refunds = [each for each in account.refunds.values() if each["payment_intent"] == intent_id]
        disputes = [each for each in account.disputes.values() if each["payment_intent"] == intent_id]
        refunded = sum(each["amount"] for each in refunds if each["status"] != "failed")
        disputed = sum(each["amount"] for each in disputes if each["status"] != "won")
        now = self.wait(shown(self.app, payment_id))
        open_or_over = {"needs_response": "open"}
        assert sorted(each.status for each in now.refunds) == sorted(each["status"] for each in refunds)
        ends = sorted(open_or_over.get(each["status"], each["status"]) for each in disputes)
        assert sorted(each.dispute_status for each in now.disputes) == ends
        paid = intent["status"] == "succeeded"
        assert (now.status, now.refunded_minor, now.disputed_minor) == (intent["status"], refunded, disputed)
        return AMOUNT - refunded - disputed if paid else 0


class APostgresPayer(APayer):
    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestAPayer = machine(APayer, 25)
if "postgres" in databases.CHOSEN:
    TestAPostgresPayer = machine(APostgresPayer, 25)
