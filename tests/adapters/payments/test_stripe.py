"""Stripe by its public contract: requests, responses, failures, simulation."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.contexts.payments.examples import CREDENTIALS
from tests.contexts.payments.makers import Cuttable

from haulier.adapters.payments import stripe as adapter
from haulier.adapters.payments.stripe import StripeClients, StripeProvider
from haulier.adapters.payments.stripe_objects import (
    DISPUTE_STATUSES,
    INTENT_STATUSES,
    REFUND_STATUSES,
    read_event,
    stripe_amount,
)
from haulier.adapters.payments.stripe_signature import require_signature, signature_of
from haulier.contexts.payments.ports import (
    CredentialsRejected,
    NoticeUnsigned,
    PaymentRequest,
    ProviderRefused,
    ProviderUnavailable,
    RefundRequest,
)
from haulier.kernel.values.money import Money
from haulier.simulation.carriers.faults import Fault, FaultKind, Faults
from haulier.simulation.payments.book import PaymentBook
from haulier.simulation.payments.server import play, simulated_stripe

CONTRACT: dict[str, Any] = json.loads(Path(__file__).with_name("stripe_contract.json").read_text())
NOW = datetime(2026, 6, 10, 14, tzinfo=UTC)
WISH = PaymentRequest(key="haulier-1", money=Money(5000, "CAD"), description="Payment 1", labels={"payment_id": "1"})


class Recorder(Cuttable):
    """Keeps what was asked."""

    def __init__(self, app: Any) -> None:
        super().__init__(app=app)
        self.asked: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return await super().handle_async_request(request)


def make_provider(faults: Faults | None = None, key: str = "sk_test_1") -> tuple[StripeProvider, PaymentBook, Recorder]:
    book = PaymentBook(clock=lambda: NOW)
    wire = Recorder(simulated_stripe(book, faults))
    credentials = {**CREDENTIALS, "secret_key": key}
    return StripeProvider(credentials, StripeClients(wire), "http://stripe.test"), book, wire


async def test_the_simulated_stripe_matches_its_documentation_and_every_status_is_known() -> None:
    provider, book, _ = make_provider()
    intent = await provider.create(WISH)
    for step in ("decline", "ask_3ds", "process", "pay"):
        play(book, intent.intent_ref, step)
    await provider.refund(RefundRequest(key="r", intent_ref=intent.intent_ref, money=Money(1000, "CAD")))
    for step in ("fail_refund", "dispute", "win"):
        play(book, intent.intent_ref, step)
    account = book.account("sk_test_1")
    shown = [*account.intents.values(), *account.refunds.values(), *account.disputes.values(), *account.events]
    faults: list[Any] = []
    for each in [*shown, *(event["data"]["object"] for event in account.events)]:
        known = CONTRACT["members"].get(each["object"])
        if known and (strange := set(each) - set(known)):
            faults.append((each["object"], sorted(strange)))
        if each["object"] == "event" and each["type"] not in CONTRACT["events"]:
            faults.append(each["type"])
    assert faults == []
    assert set(INTENT_STATUSES) == set(CONTRACT["statuses"]["payment_intent"])
    assert set(REFUND_STATUSES) == set(CONTRACT["statuses"]["refund"])
    assert set(DISPUTE_STATUSES) == set(CONTRACT["statuses"]["dispute"])
    assert {type(read_event(event).fact).__name__ for event in account.events} == {
        *("IntentEvent", "RefundEvent", "DisputeEvent", "IncompleteEvent"),
    }


async def test_writes_carry_an_idempotency_key_and_are_repeated_after_a_lost_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(adapter, "PAUSE_S", 0)
    faults = Faults()
    provider, book, wire = make_provider(faults)
    for kind in (FaultKind.CUT_AFTER, FaultKind.CUT_BEFORE, FaultKind.ERROR, FaultKind.MALFORMED, FaultKind.TOO_MANY):
        faults.waiting.append(Fault(kind, times=2))
        wish = PaymentRequest(key=f"haulier-{kind}", money=Money(5000, "CAD"), description="Payment")
        made = len(book.account("sk_test_1").intents)
        wire.asked.clear()
        await provider.create(wish)
        assert len(book.account("sk_test_1").intents) == made + 1, kind
        assert [each.headers["idempotency-key"] for each in wire.asked] == [wish.key] * 3
        assert {each.headers["stripe-version"] for each in wire.asked} == {adapter.VERSION}
        faults.waiting.append(Fault(kind, times=3))
        with pytest.raises(ProviderUnavailable):
            await provider.fetch_events("pi_1")
        faults.waiting.clear()
    with pytest.raises(ProviderRefused):
        await provider.create(PaymentRequest(key="haulier-slow", money=Money(10, "CAD"), description="Payment"))
    with pytest.raises(CredentialsRejected):
        await make_provider(key="wrong")[0].test_credentials()


def test_amounts_use_stripes_minor_units() -> None:
    counted = {("CAD", 1050): 1050, ("JPY", 500): 500, ("KWD", 1230): 1230, ("ISK", 700): 70_000, ("UGX", 9): 900}
    assert {(code, minor): stripe_amount(Money(minor, code)) for code, minor in counted} == counted
    provider, _, _ = make_provider()
    for refused in (Money(1231, "KWD"), Money(100_000_000, "CAD"), Money(0, "CAD")):
        assert not provider.takes(refused)


def test_a_webhook_signature_covers_time_and_raw_body() -> None:
    body = b'{"id": "evt_1"}'
    good = signature_of("whsec_1", body, NOW)
    require_signature("whsec_1", body, good, NOW + timedelta(minutes=4))
    other = signature_of("whsec_2", body, NOW).partition(",")[2]
    require_signature("whsec_1", body, f"{good.partition(',')[0]},{other},{good.partition(',')[2]},v0=00", NOW)
    wrong = {
        "another body": ("whsec_1", body + b" ", good, NOW),
        "another secret": ("whsec_2", body, good, NOW),
        "no secret": ("", body, signature_of("", body, NOW), NOW),
        "too old": ("whsec_1", body, good, NOW + timedelta(minutes=6)),
        "from the future": ("whsec_1", body, good, NOW - timedelta(minutes=6)),
        "another time": ("whsec_1", body, good.replace("t=", "t=1"), NOW),
        "no time": ("whsec_1", body, good.partition(",")[2], NOW),
        "another scheme": ("whsec_1", body, good.replace("v1=", "v0="), NOW),
        "nothing": ("whsec_1", body, "", NOW),
    }
    for secret, sent, header, now in wrong.values():
        with pytest.raises(NoticeUnsigned):
            require_signature(secret, sent, header, now)
