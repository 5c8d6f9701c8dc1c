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
    """Phone number with country code, or as written in the app's region."""
    device_id: DeviceId | None = None
    """Identifier of the device in the app."""


class PhoneChallenge(Answer):
    """Receipt of a code request. The answer is the same for known and unknown phones."""

    result: bool = True
    challenge_id: Annotated[ForeignId, doc("ID of the challenge, for verifying the code")]
    expires_in: Annotated[int, doc("Seconds until the code expires", 300)]
    resend_after: Annotated[int, doc("Seconds until another code may be asked for", 60)]
    code_length: Annotated[int, doc("Number of digits of the code", 6)]
    message: str


class VerifyPhone(ClientAppRef):
    """The code from the text message."""

    challenge_id: Annotated[ForeignId, Field(min_length=1, max_length=60, pattern=PRINTABLE_PATTERN)]
    """ID of the challenge of the code."""
    code: Annotated[SecretStr, Field(min_length=1, max_length=12)]
    """Six-digit code."""


class VerifiedPhone(Answer):
    """The phone is proved."""

    result: bool = True
    registration_token: Annotated[str, doc("Token to continue this registration, shown only once")]
    expires_in: Annotated[int, doc("Seconds to complete the registration", 1800)]
    requires_approval: Annotated[bool, doc("True if the business must approve the registration")]


class CompleteRegistration(DeviceRequest):
    """Applicant and sign-in method: a password, or the app's identity provider."""

    registration_token: Annotated[SecretStr, Field(min_length=1, max_length=120)]
    """Token returned by the phone verification."""
    name: PrintableText
    """Display name."""
    email: Email
    """Email address, unique on the platform."""
    password: Password | None = None
    """Password of at least ten characters. Use either this or an ID token."""
    id_token: IdToken | None = None
    """ID token of the app's identity provider, issued for the app's backend."""
    nonce: Nonce | None = None
    """Nonce that the app sent to the provider. The token must contain it."""

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        if (self.password is None) == (self.id_token is None):
            raise PydanticCustomError("password_or_id_token", "Either a password or an ID token is needed")
        return self


class RegistrationResult(Answer):
    """The outcome of a registration."""

    result: bool = True
    status: Annotated[
        str,
        doc("Status: completed, or pending_approval until the business approves it", AppRegistrationStep.DONE.value),
    ]
    session: Annotated[AppSession | UnsetType, doc("New session, if the registration is completed")] = UNSET
    message: str


class ListAppRegistrations(PageRequest):
    """Filters and page of registrations."""

    status: Literal[AppRegistrationStep.WAITING, AppRegistrationStep.DONE, AppRegistrationStep.REJECTED] = (
        AppRegistrationStep.WAITING
    )
    """Filter by status."""


class AppRegistrationRef(Request):
    """Reference to a registration."""

    registration_id: AppRegistrationId
    """ID of the registration."""


class RejectAppRegistration(AppRegistrationRef):
    """A registration to reject."""

    reason: Annotated[str, Field(max_length=255, pattern=PRINTABLE_PATTERN)] | None = None
    """Reason, visible only to the business."""


class AppRegistrationRecord(Answer):
    """A registration."""

    id: int
    app_code: str
    status: str
    phone: Annotated[str, doc("Verified phone number (E.164)", "+14165550123")]
    name: str | None
    email: str | None
    user_id: Annotated[UserId | None, doc("User created from the registration")]
    completed_at: Annotated[datetime | None, doc("Time when the applicant completed the registration")]
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
