"""Directory of the SMS providers that clients can have accounts with."""

from collections.abc import Sequence

from haulier.adapters.smpp.lines import SmppLines
from haulier.adapters.sms import TWILIO_URL, FileSms, TwilioSms
from haulier.adapters.sms_gateways.twilio import TwilioGateway
from haulier.adapters.sms_gateways.vonage import VonageGateway
from haulier.contexts.messaging.ports import (
    SmsAnswered,
    SmsGateway,
    SmsNotice,
    SmsProvider,
    SmsReceipt,
    SmsSender,
    SmsSubmission,
    SmsUnsigned,
)
from haulier.extensions import SMS_PROVIDERS, installed_extensions

VONAGE_URL = "https://rest.nexmo.com"


class PlainGateway:
    """Gateway for a sender without receipts: an extension, or a file in trials."""

    def __init__(self, sender: SmsSender) -> None:
        self._sender = sender

    async def submit(self, submission: SmsSubmission) -> str:
        """Send a message. Returns an empty reference."""
        await self._sender.send(submission.to, submission.text)
        return ""

    def read_notice(self, notice: SmsNotice) -> Sequence[SmsReceipt | SmsAnswered]:
        """Raise `SmsUnsigned`: the sender does not call webhooks."""
        raise SmsUnsigned


class HttpSmsProviders:
    """Built-in SMS providers and those of installed extensions.

    Only the operator sets their URLs. `platform` is the sender of the installation.
    """

    def __init__(
        self,
        platform: SmsSender | None = None,
        *,
        twilio: str = TWILIO_URL,
        vonage: str = VONAGE_URL,
        smpp: SmppLines | None = None,
    ) -> None:
        self._platform, self._twilio, self._vonage = platform, twilio, vonage
        self._smpp = smpp or SmppLines()

    def carrier(self, provider: str, account: str, secret: str, sender: str) -> SmsSender:
        """Return the sender of an account. Raises `KeyError` for unknown providers."""
        if provider == "twilio":
            return TwilioSms(account, secret, sender, self._twilio)
        if provider == "vonage":
            return VonageGateway(account, secret, sender, self._vonage)
        if provider == "smpp":
            return self._smpp.gateway(account, secret, sender)
        return installed_extensions(SMS_PROVIDERS, SmsProvider)[provider].open(account, secret, sender)

    def gateway(self, provider: str, account: str, secret: str, sender: str) -> SmsGateway:
        """Return the gateway of an account. Raises `KeyError` for unknown providers."""
        if provider == "twilio":
            return TwilioGateway(account, secret, sender, self._twilio)
        if provider == "vonage":
            return VonageGateway(account, secret, sender, self._vonage)
        if provider == "smpp":
            return self._smpp.gateway(account, secret, sender)
        return PlainGateway(self.carrier(provider, account, secret, sender))

    def trial(self) -> SmsGateway | None:
        """Return a gateway to the installation's SMS file, or None without one."""
        return PlainGateway(self._platform) if isinstance(self._platform, FileSms) else None
