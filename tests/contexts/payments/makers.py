"""Online payments on a simulated Stripe, with notices in any order."""

import json
from collections.abc import Iterable
from typing import Any

import httpx
from tests.contexts.payments.examples import ACCOUNT, CREDENTIALS
from tests.support.app import App

from haulier.adapters.payments.directory import PaymentProviders
from haulier.adapters.payments.stripe import StripeClients
from haulier.adapters.payments.stripe_signature import signature_of
from haulier.adapters.vault import KEY_BYTES, EncryptedVault
from haulier.contexts.payments.ports import PaymentProviderDirectory
from haulier.kernel.secrets import SecretVault
from haulier.simulation.carriers.faults import Fault, FaultKind, Faults
from haulier.simulation.payments.book import PaymentBook
from haulier.simulation.payments.server import play, simulated_stripe

SECRET = CREDENTIALS["signing_secret"]


class Cuttable(httpx.ASGITransport):
    """In-process network with a server that can cut off responses."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return await super().handle_async_request(request)
        except AssertionError as cut:
            raise httpx.ReadError("the connection ended") from cut


class Stripe:
    """The simulated Stripe of an application, and who plays its payers."""

    def __init__(self, app: App) -> None:
        self.app, self.book, self.faults = app, PaymentBook(clock=app.clock), Faults()
        clients = StripeClients(Cuttable(app=simulated_stripe(self.book, self.faults)))
        adapters: Any = app.application.adapters
        adapters[SecretVault] = EncryptedVault(b"k" * KEY_BYTES)
        adapters[PaymentProviderDirectory] = PaymentProviders("http://stripe.test", clients)
        self.path = ""

    @property
    def account(self) -> Any:
        return self.book.account(CREDENTIALS["secret_key"])

    @property
    def intents(self) -> list[str]:
        return list(self.account.intents)

    def play(self, *steps: str, intent: str | None = None, amount: int | None = None) -> None:
        """Let the payer and the bank do something with the newest payment, or another."""
        for step in steps:
            self.app.clock.forward(seconds=1)
            play(self.book, intent or self.intents[-1], step, amount)

    def fail(self, kind: FaultKind, path: str, times: int = 1) -> None:
        self.faults.waiting.append(Fault(kind, path=path, method="POST", times=times))

    def signed(self, event: dict[str, Any], secret: str = SECRET) -> str:
        return signature_of(secret, json.dumps(event).encode(), self.app.clock())

    async def send(self, event: dict[str, Any], secret: str = SECRET) -> httpx.Response:
        headers = {"Stripe-Signature": self.signed(event, secret), "Content-Type": "application/json"}
        return await self.app.http.post(self.path, content=json.dumps(event), headers=headers)

    async def deliver(self, events: Iterable[dict[str, Any]] | None = None) -> None:
        """Send events, all so far where none are named, and let the application read them."""
        for event in self.account.events if events is None else events:
            assert (await self.send(event)).status_code == 200
        await self.app.work_off()


async def make_stripe(app: App) -> Stripe:
    """The demo client takes online payments."""
    stripe = Stripe(app)
    answer = await app.answer("admin", "set_payment_account", ACCOUNT)
    stripe.path = answer.payment_account.events_path
    return stripe


async def make_payment(app: App, who: str = "customer", **said: Any) -> Any:
    """A top-up of 50.00, or what is said."""
    return (await app.answer(who, "create_payment", {"amount_minor": 5000, **said})).payment


async def shown(app: App, payment_id: int, who: str = "customer") -> Any:
    return (await app.answer(who, "get_payment", {"payment_id": payment_id})).payment


async def account_balances(app: App) -> dict[str, int]:
    """The balance of each kind of account, as the office reads it, without empty ones."""
    found = await app.answer("admin", "list_ledger_accounts")
    sums: dict[str, int] = {}
    for account in found.accounts:
        sums[account.kind.value] = sums.get(account.kind.value, 0) + account.balance_minor
    return {kind: minor for kind, minor in sums.items() if minor}
