"""The providers at whom clients may have accounts."""

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
    """A sender that tells nothing of what became of texts, as a gateway: of a package, or the file of a trial."""

    def __init__(self, sender: SmsSender) -> None:
        self._sender = sender

    async def submit(self, submission: SmsSubmission) -> str:
        """Hand a text over. There is no reference."""
        await self._sender.send(submission.to, submission.text)
        return ""

    def read_notice(self, notice: SmsNotice) -> Sequence[SmsReceipt | SmsAnswered]:
        """Nothing comes of it, so whatever comes is of somebody else. Raises `SmsUnsigned`."""
        raise SmsUnsigned


class HttpSmsProviders:
    """The providers at whom clients may have accounts: ours, and those of installed packages.

    The operator sets their addresses, never a client; `platform` is what the operator sends through.
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
        """The carrier for an account. Raises `KeyError` for a provider that there is not."""
        if provider == "twilio":
            return TwilioSms(account, secret, sender, self._twilio)
        if provider == "vonage":
            return VonageGateway(account, secret, sender, self._vonage)
        if provider == "smpp":
            return self._smpp.gateway(account, secret, sender)
        return installed_extensions(SMS_PROVIDERS, SmsProvider)[provider].open(account, secret, sender)

    def gateway(self, provider: str, account: str, secret: str, sender: str) -> SmsGateway:
        """The gateway for an account. Raises `KeyError` for a provider that there is not."""
        if provider == "twilio":
            return TwilioGateway(account, secret, sender, self._twilio)
        if provider == "vonage":
            return VonageGateway(account, secret, sender, self._vonage)
        if provider == "smpp":
            return self._smpp.gateway(account, secret, sender)
        return PlainGateway(self.carrier(provider, account, secret, sender))

    def trial(self) -> SmsGateway | None:
        """A gateway into the file that the operator sends through; None where texts really go out, or nowhere."""
        return PlainGateway(self._platform) if isinstance(self._platform, FileSms) else None
