"""Request and response models for SMS accounts."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr

from haulier.contexts.identity.fields import validate_phone
from haulier.contexts.messaging.ports import SmsProvider
from haulier.contexts.messaging.sms.rules import SmsRoute
from haulier.extensions import SMS_PROVIDERS, installed_extensions
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request

if TYPE_CHECKING:
    Provider = Literal["twilio", "vonage", "smpp"]
else:
    OWN = ("twilio", "vonage", "smpp")
    Provider = Literal[(*OWN, *(name for name in installed_extensions(SMS_PROVIDERS, SmsProvider) if name not in OWN))]
SmsAccountName = Annotated[
    str, Field(min_length=3, max_length=64, pattern="^[A-Za-z0-9_.-]+(@[a-z0-9-]+)?$", examples=["AC0123abcd"])
]
SmsSenderId = Annotated[
    str,
    Field(
        max_length=64,
        pattern=r"^(\+[1-9][0-9]{6,14}|MG[0-9a-f]{32}|[A-Za-z][A-Za-z0-9 ]{0,10}|[1-9][0-9]{2,7})$",
        examples=["+14165550100"],
    ),
]


class SetSmsAccount(Request):
    """Account with an SMS provider."""

    provider: Provider
    """SMS provider."""
    account: SmsAccountName
    """Account name: Twilio account SID, Vonage API key, or for SMPP the system ID, `@` and the message centre."""
    secret: Annotated[SecretStr, Field(min_length=6, max_length=200)]
    """Password or token of the account. For Vonage: the API secret, a colon and the signature secret (SHA-256 HMAC), which
    campaigns need. Stored encrypted and never shown again."""
    sender: SmsSenderId
    """Sender: a number in E.164, a short code, a messaging service (`MG…`), or up to eleven characters."""


class SendTestSms(Request):
    """Phone number that receives a test message."""

    phone: Annotated[str, Field(max_length=50, examples=["+14165550123"]), AfterValidator(validate_phone)]
    """Phone number with country code."""


class SmsSettings(Answer):
    """SMS settings of the business. They never contain the account's secret."""

    result: bool = True
    through: Annotated[str, doc("Account in use: own_account, platform or `nobody`.", SmsRoute.OWN.value)]
    provider: Annotated[str | None, doc("Provider of the own account.", "twilio")]
    account: Annotated[str | None, doc("Name of the own account at the provider.")]
    sender: Annotated[str | None, doc("Sender of messages.", "+14165550100")]
    set_at: datetime | None
    worked_at: Annotated[datetime | None, doc("Time of the last message that the provider accepted.")]
    failed_at: Annotated[datetime | None, doc("Time of the last message that the provider rejected.")]
    fault: Annotated[str | None, doc("Reason: the provider's code, unavailable, or secret_lost.", "20003")]
