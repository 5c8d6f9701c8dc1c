"""Text messages: requests and answers."""

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
    """An account with a provider of text messages."""

    provider: Provider
    """The provider."""
    account: SmsAccountName
    """The account's name there: Twilio's account SID, Vonage's API key, for SMPP the system id, `@` and the message centre."""
    secret: Annotated[SecretStr, Field(min_length=6, max_length=200)]
    """The account's password or token there; of Vonage the API secret, a colon and the signature secret (SHA-256 HMAC), which
    campaigns need. It is kept encrypted and never shown again."""
    sender: SmsSenderId
    """Who messages come from: a number in E.164, a short code, a messaging service (`MG…`), or up to eleven characters."""


class SendTestSms(Request):
    """The phone that gets a test message."""

    phone: Annotated[str, Field(max_length=50, examples=["+14165550123"]), AfterValidator(validate_phone)]
    """A number with its country code."""


class SmsSettings(Answer):
    """Through whom this client sends text messages. The account's secret is never part of it."""

    result: bool = True
    through: Annotated[str, doc("own_account, platform or nobody", SmsRoute.OWN.value)]
    provider: Annotated[str | None, doc("Of the own account", "twilio")]
    account: Annotated[str | None, doc("The own account's name at the provider")]
    sender: Annotated[str | None, doc("Who messages come from", "+14165550100")]
    set_at: datetime | None
    worked_at: Annotated[datetime | None, doc("When the provider last took a message")]
    failed_at: Annotated[datetime | None, doc("When the provider last did not take one")]
    fault: Annotated[str | None, doc("The reason: the provider's own code, unavailable, or secret_lost", "20003")]
