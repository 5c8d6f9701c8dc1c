"""Stripe client for PaymentIntents, refunds, disputes and signed events.

The API version is pinned. Every write has an `Idempotency-Key`: Stripe returns the same response to the same key for at
least 24 hours, so a request without a response can be retried. Objects are also found by the key in their `metadata`.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from haulier.adapters.http_client import open_client
from haulier.adapters.payments.stripe_objects import (
    dispute_fact,
    intent_fact,
    read_event,
    refund_fact,
    stripe_amount,
)
from haulier.adapters.payments.stripe_signature import require_signature
from haulier.contexts.payments.ports import (
    CredentialsRejected,
    IntentEvent,
    Notice,
    NoticeUnreadable,
    PaymentProviderKind,
    PaymentRequest,
    ProviderEvent,
    ProviderRefused,
    ProviderUnavailable,
    RefundEvent,
    RefundRequest,
)
from haulier.kernel.values.money import Money
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

LIVE = "https://api.stripe.com"
VERSION = "2024-06-20"
CONNECT_S, ANSWER_S = 5.0, 20.0
ATTEMPTS, PAUSE_S = 3, 0.2
"""Attempts of an idempotent request before it fails, and the base of the exponential delay in seconds."""
STRIPE_SOURCES = (
    "https://js.stripe.com",
    "https://*.js.stripe.com",
    "https://hooks.stripe.com",
    "https://api.stripe.com",
)
"""Servers that Stripe's script requires on payment pages."""
STRIPE_KIND = PaymentProviderKind(
    "STRIPE", "Stripe", ("publishable_key", "secret_key", "signing_secret"), ("publishable_key",)
)
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError)


class StripeClients:
    """HTTP clients shared by all accounts, one per event loop.

    `transport` replaces the network.
    """

    def __init__(self, transport: "httpx.AsyncBaseTransport | None" = None) -> None:
        self._transport = transport
        self._of_loop: WeakKeyDictionary[Any, httpx.AsyncClient] = WeakKeyDictionary()

    def client(self) -> "httpx.AsyncClient":
        """Return the client of the running event loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._of_loop:
            options: dict[str, Any] = {"transport": self._transport} if self._transport else {}
            self._of_loop[loop] = open_client(
                timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S), follow_redirects=False, **options
            )
        return self._of_loop[loop]


class StripeProvider:
    """Stripe provider of one account."""

    def __init__(self, credentials: Mapping[str, str], clients: StripeClients, address: str | None = None) -> None:
        self._credentials, self._clients = credentials, clients
        self._address = (address or LIVE).rstrip("/")

    async def create(self, wish: PaymentRequest) -> IntentEvent:
        """Create a PaymentIntent with all payment methods enabled in the account."""
        form = {
            "amount": str(stripe_amount(wish.money)),
            "currency": wish.money.currency.lower(),
            "description": wish.description,
            "automatic_payment_methods[enabled]": "true",
            "metadata[payment_key]": wish.key,
            **{f"metadata[{name}]": value for name, value in wish.labels.items()},
        }
        return intent_fact(await self._ask("POST", "/v1/payment_intents", form, key=wish.key))

    async def fetch_events(self, intent_ref: str) -> Sequence[ProviderEvent]:
        """Return the intent with its refunds and disputes."""
        intent = await self._ask("GET", f"/v1/payment_intents/{intent_ref}")
        refunds = await self._ask("GET", f"/v1/refunds?payment_intent={intent_ref}&limit=100")
        disputes = await self._ask("GET", f"/v1/disputes?payment_intent={intent_ref}&limit=100")
        try:
            facts: list[ProviderEvent] = [intent_fact(intent)]
            facts += [refund_fact(each) for each in refunds["data"]]
            return [*facts, *(dispute_fact(each) for each in disputes["data"])]
        except _UNREADABLE as fault:
            raise _unreadable(fault) from fault

    async def client_secret(self, intent_ref: str) -> str:
        """Return the `client_secret` of the intent."""
        intent = await self._ask("GET", f"/v1/payment_intents/{intent_ref}")
        return str(intent["client_secret"])

    async def cancel(self, intent_ref: str) -> IntentEvent:
        """Cancel the intent.

        If Stripe rejects the cancellation because of the intent's status, the current intent is returned.
        """
        try:
            return intent_fact(
                await self._ask("POST", f"/v1/payment_intents/{intent_ref}/cancel", {}, key=f"{intent_ref}-x")
            )
        except ProviderRefused as refusal:
            if refusal.code != "payment_intent_unexpected_state":
                raise
            return intent_fact(await self._ask("GET", f"/v1/payment_intents/{intent_ref}"))

    async def refund(self, wish: RefundRequest) -> RefundEvent:
        """Create a full or partial refund."""
        form = {
            "payment_intent": wish.intent_ref,
            "amount": str(stripe_amount(wish.money)),
            "metadata[refund_key]": wish.key,
        }
        return refund_fact(await self._ask("POST", "/v1/refunds", form, key=wish.key))

    async def test_credentials(self) -> None:
        """Check the credentials by requesting the account's balance."""
        await self._ask("GET", "/v1/balance")

    @property
    def payer_script(self) -> str:
        """URL of the payment script.

        Stripe requires its script to be loaded from its own server. The simulator has its own script.
        """
        return f"{STRIPE_SOURCES[0] if self._address == LIVE else self._address}/v3/"

    def takes(self, money: Money) -> bool:
        """Return True if Stripe accepts the amount.

        Amounts have at most eight digits. Currencies with three decimals require a zero as the last digit.
        """
        try:
            return 0 < stripe_amount(money) <= 99_999_999
        except ValueError:
            return False

    def read_notice(self, body: bytes, signature: str, now: datetime) -> Notice:
        """Verify the `Stripe-Signature` of an event and parse it.

        Raises `NoticeUnsigned` and `NoticeUnreadable`.
        """
        require_signature(self._credentials.get("signing_secret", ""), body, signature, now)
        try:
            return read_event(json.loads(body))
        except _UNREADABLE as fault:
            raise NoticeUnreadable(type(fault).__name__) from fault

    async def _ask(
        self, method: str, path: str, form: Mapping[str, str] | None = None, *, key: str | None = None
    ) -> dict[str, Any]:
        """Send a request, with retries if the outcome is unknown.

        The idempotency key prevents repeated effects. Raises `ProviderRefused`, `CredentialsRejected` and
        `ProviderUnavailable`.
        """
        lost: ProviderUnavailable | None = None
        for attempt in range(ATTEMPTS):
            if attempt:
                await asyncio.sleep(PAUSE_S * 2**attempt)
            try:
                return _read(await self._send(method, path, form, key))
            except ProviderUnavailable as fault:
                lost = fault
        raise lost or ProviderUnavailable("Stripe was not asked")

    async def _send(self, method: str, path: str, form: Mapping[str, str] | None, key: str | None) -> "httpx.Response":
        headers = {"Authorization": f"Bearer {self._credentials.get('secret_key', '')}", "Stripe-Version": VERSION}
        if key is not None:
            headers["Idempotency-Key"] = key
        try:
            return await self._clients.client().request(
                method, self._address + path, headers=headers, data=dict(form) if form is not None else None
            )
        except httpx.HTTPError as fault:
            raise ProviderUnavailable(f"Stripe did not answer: {type(fault).__name__}") from fault


def _read(answer: "httpx.Response") -> dict[str, Any]:
    """Return the object of a response, or raise the error that it represents."""
    status = answer.status_code
    try:
        said = answer.json()
    except ValueError as fault:
        raise _unreadable(fault) from fault
    if answer.is_success and isinstance(said, dict):
        return said
    error = said.get("error", {}) if isinstance(said, dict) else {}
    text, code = str(error.get("message") or f"Stripe said {status}"), str(error.get("code") or error.get("type") or "")
    # 409: another request with the same idempotency key is still in progress.
    if status in (409, 429) or status >= 500 or answer.headers.get("Stripe-Should-Retry") == "true":
        raise ProviderUnavailable(f"Stripe said {status}: {code}")
    raise (CredentialsRejected if status in (401, 403) else ProviderRefused)(text, code)


def _unreadable(fault: Exception) -> ProviderUnavailable:
    return ProviderUnavailable(f"Stripe gave an answer that cannot be read: {type(fault).__name__}")
