"""Simulated services of test businesses. None of them contacts another server."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from haulier.adapters.geocoders import NoGeocoder
from haulier.adapters.mailer import InMemoryMailer
from haulier.adapters.smpp.lines import SmppLines
from haulier.adapters.sms_gateways.directory import PlainGateway
from haulier.contexts.identity.ports import Mailer
from haulier.contexts.messaging.ports import SmsGateway, SmsLines, SmsProviderDirectory, SmsSender
from haulier.contexts.payments.ports import (
    IntentEvent,
    IntentStatus,
    Notice,
    NoticeUnsigned,
    PaymentProvider,
    PaymentProviderDirectory,
    PaymentProviderKind,
    PaymentRequest,
    ProviderEvent,
    ProviderRefused,
    RefundEvent,
    RefundRequest,
    RefundStatus,
)
from haulier.contexts.places.ports import Geocoder
from haulier.kernel.values.money import Money

MAX_MINOR = 99_999_999
INTENT_PREFIX = "pi_test"


class SimulatedSms:
    """SMS sender that accepts every message and sends none."""

    configured = True

    async def send(self, to: str, text: str) -> None:
        """Accept a message."""


class SimulatedSmsProviders:
    """SMS providers that accept every account and send nothing."""

    def carrier(self, provider: str, account: str, secret: str, sender: str) -> SmsSender:
        """Return the simulated sender."""
        return SimulatedSms()

    def gateway(self, provider: str, account: str, secret: str, sender: str) -> SmsGateway:
        """Return the simulated gateway."""
        return PlainGateway(SimulatedSms())

    def trial(self) -> SmsGateway | None:
        """Return the simulated gateway."""
        return PlainGateway(SimulatedSms())


class SimulatedPayments:
    """Payment providers of this installation, each of them simulated."""

    def __init__(self, kinds: Sequence[PaymentProviderKind]) -> None:
        self.kinds = kinds
        self.page_sources: Sequence[str] = ()

    def open(self, code: str, credentials: Mapping[str, str], *, test_mode: bool) -> PaymentProvider:
        """Return the simulated provider. Raises `KeyError` for an unknown code."""
        if code not in {kind.code for kind in self.kinds}:
            raise KeyError(code)
        return SimulatedProvider()


class SimulatedProvider:
    """Payment provider without state.

    Its references contain the key and the amount of a payment.

    A payment waits for the payer until `advance_test_record` moves it.
    """

    payer_script = ""
    """There is no card form. The payment is advanced instead."""

    async def create(self, wish: PaymentRequest) -> IntentEvent:
        """Begin a payment."""
        reference = f"{INTENT_PREFIX}_{wish.key}_{wish.money.minor}_{wish.money.currency}"
        return _intent(reference, IntentStatus.REQUIRES_PAYMENT_METHOD)

    async def fetch_events(self, intent_ref: str) -> Sequence[ProviderEvent]:
        """Return nothing: every event was recorded when it happened."""
        return ()

    async def client_secret(self, intent_ref: str) -> str:
        """Return a secret that no provider knows."""
        return f"{intent_ref}_secret_test"

    async def cancel(self, intent_ref: str) -> IntentEvent:
        """Cancel a payment."""
        return _intent(intent_ref, IntentStatus.CANCELLED)

    async def refund(self, wish: RefundRequest) -> RefundEvent:
        """Refund money at once."""
        return RefundEvent(
            intent_ref=wish.intent_ref,
            refund_ref=f"re_test_{wish.key}",
            refund_key=wish.key,
            status=RefundStatus.SUCCEEDED,
            money=wish.money,
        )

    async def test_credentials(self) -> None:
        """Accept any credentials."""

    def takes(self, money: Money) -> bool:
        """Return True for amounts of at most eight digits."""
        return 0 < money.minor <= MAX_MINOR

    def read_notice(self, body: bytes, signature: str, now: datetime) -> Notice:
        """Raise `NoticeUnsigned`: no provider sends notices."""
        raise NoticeUnsigned


def _intent(reference: str, status: IntentStatus) -> IntentEvent:
    """Return the state of a payment.

    Raises `ProviderRefused` for a reference of a real provider.
    """
    if not reference.startswith(f"{INTENT_PREFIX}_"):
        raise ProviderRefused("no such payment", "resource_missing")
    key, minor, currency = reference.removeprefix(f"{INTENT_PREFIX}_").rsplit("_", 2)
    return IntentEvent(intent_ref=reference, payment_key=key, status=status, money=Money(int(minor), currency), at=None)


def simulated_services(payments: PaymentProviderDirectory) -> dict[type, object]:
    """Return the adapters that replace real ones for test businesses."""
    return {
        Mailer: InMemoryMailer(),
        SmsSender: SimulatedSms(),
        SmsProviderDirectory: SimulatedSmsProviders(),
        SmsLines: SmppLines(),
        PaymentProviderDirectory: SimulatedPayments(payments.kinds),
        Geocoder: NoGeocoder(),
    }
