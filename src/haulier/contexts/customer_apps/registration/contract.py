"""Registration: requests and answers."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, SecretStr, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.customer_apps.app_sessions.contract import AppSession, IdToken, Nonce
from haulier.contexts.customer_apps.apps.contract import PRINTABLE_PATTERN, ClientAppRef, DeviceId, DeviceRequest
from haulier.contexts.customer_apps.registration.rules import AppRegistrationStep
from haulier.contexts.identity.fields import Email, Password
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.ids import AppRegistrationId, ForeignId, UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

PrintableText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120, pattern=PRINTABLE_PATTERN)
]


class RequestPhoneCode(ClientAppRef):
    """A phone to send a code to."""

    phone: Annotated[str, Field(min_length=1, max_length=50, pattern=PRINTABLE_PATTERN, examples=["+1 416 555 0123"])]
    """The number, with its country code or as written in the app's region."""
    device_id: DeviceId | None = None
    """What the app calls the device that it runs on."""


class PhoneChallenge(Answer):
    """A code is under way. The answer is the same for phones that are known and for those that are not."""

    result: bool = True
    challenge_id: Annotated[ForeignId, doc("Names the challenge when the code is sent back")]
    expires_in: Annotated[int, doc("Seconds until the code works no more", 300)]
    resend_after: Annotated[int, doc("Seconds until another code may be asked for", 60)]
    code_length: Annotated[int, doc("Digits", 6)]
    message: str


class VerifyPhone(ClientAppRef):
    """The code from the text message."""

    challenge_id: Annotated[ForeignId, Field(min_length=1, max_length=60, pattern=PRINTABLE_PATTERN)]
    """The challenge that the code belongs to."""
    code: Annotated[SecretStr, Field(min_length=1, max_length=12)]
    """The six digits."""


class VerifiedPhone(Answer):
    """The phone is proved."""

    result: bool = True
    registration_token: Annotated[str, doc("Continues this registration; shown once")]
    expires_in: Annotated[int, doc("Seconds to complete the registration", 1800)]
    requires_approval: Annotated[bool, doc("Whether the business looks at it before it counts")]


class CompleteRegistration(DeviceRequest):
    """Who registers, and how they will sign in: with a password, or with the app's identity provider."""

    registration_token: Annotated[SecretStr, Field(min_length=1, max_length=120)]
    """The token from the proof of the phone."""
    name: PrintableText
    """The name that others see."""
    email: Email
    """Nobody else on the platform may have it."""
    password: Password | None = None
    """At least ten characters. Either this or an ID token."""
    id_token: IdToken | None = None
    """An ID token of the app's identity provider, issued for the app's backend."""
    nonce: Nonce | None = None
    """The nonce that the app asked the provider with; the token must then hold it."""

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        if (self.password is None) == (self.id_token is None):
            raise PydanticCustomError("password_or_id_token", "Either a password or an ID token is needed")
        return self


class RegistrationResult(Answer):
    """The outcome of a registration."""

    result: bool = True
    status: Annotated[
        str, doc("completed, or pending_approval while the business looks at it", AppRegistrationStep.DONE.value)
    ]
    session: Annotated[AppSession | UnsetType, doc("The session that begins at once, when it is completed")] = UNSET
    message: str


class ListAppRegistrations(PageRequest):
    """Which registrations."""

    status: Literal[AppRegistrationStep.WAITING, AppRegistrationStep.DONE, AppRegistrationStep.REJECTED] = (
        AppRegistrationStep.WAITING
    )
    """How far they have come."""


class AppRegistrationRef(Request):
    """Which registration."""

    registration_id: AppRegistrationId
    """The registration's id."""


class RejectAppRegistration(AppRegistrationRef):
    """A registration to reject."""

    reason: Annotated[str, Field(max_length=255, pattern=PRINTABLE_PATTERN)] | None = None
    """Why; for the business only."""


class AppRegistrationRecord(Answer):
    """Somebody who registered."""

    id: int
    app_code: str
    status: str
    phone: Annotated[str, doc("In E.164, proved", "+14165550123")]
    name: str | None
    email: str | None
    user_id: Annotated[UserId | None, doc("The user who came of it")]
    completed_at: Annotated[datetime | None, doc("When the person had done all they could")]
    decided_at: datetime | None
    decided_by: int | None
    reason: str | None


class AppRegistrationDetail(Answer):
    """One registration."""

    result: bool = True
    registration: AppRegistrationRecord


class AppRegistrationList(PagedAnswer):
    """A page of registrations, newest first."""

    registrations: list[AppRegistrationRecord]
