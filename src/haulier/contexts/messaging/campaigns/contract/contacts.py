"""Request and response models for contacts and their consents."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from haulier.contexts.identity.fields import Language, TimeZone, validate_phone
from haulier.contexts.messaging.campaigns.rules.laws import ConsentBasis, MessagePurpose
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, RecordId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SmsPhone = Annotated[str, Field(max_length=50, examples=["+14165550123"]), AfterValidator(validate_phone)]
SmsTag = Annotated[
    str, Field(min_length=1, max_length=40, pattern=r"^[^\s\x00]([^\n\x00]*[^\s\x00])?$", examples=["vip"])
]
SmsTags = Annotated[list[SmsTag], Field(max_length=20)]
VariableName = Annotated[str, Field(max_length=30, pattern="^[a-z][a-z0-9_]*$")]
VariableValue = Annotated[str, Field(max_length=100, pattern=NO_NUL)]
SmsVariables = Annotated[dict[VariableName, VariableValue], Field(max_length=20, examples=[{"city": "Toronto"}])]
Proof = Annotated[
    dict[VariableName, Annotated[str, Field(max_length=300, pattern=NO_NUL)]],
    Field(max_length=10, examples=[{"form": "checkout", "ip": "203.0.113.7"}]),
]
Country = Annotated[str, Field(pattern="^[A-Z]{2}$", examples=["CA"])]


class ConsentMethod(StrEnum):
    """Method of giving or revoking consent."""

    WEB_FORM = "web_form"
    PAPER = "paper"
    PHONE_CALL = "phone_call"
    IN_PERSON = "in_person"
    EMAIL = "email"
    TEXT = "text"
    OTHER = "other"


class ConsentGiven(Request):
    """Consent and its evidence."""

    purpose: MessagePurpose = MessagePurpose.MARKETING
    """Purpose of the consent. Each purpose needs its own consent."""
    basis: ConsentBasis
    """Legal basis of the consent. It must be accepted in the number's country."""
    method: ConsentMethod
    """Method of giving consent."""
    wording: str = Field(
        min_length=1, max_length=1000, pattern=NO_NUL, examples=["Yes, text me offers. Up to 4 a month; STOP ends it."]
    )
    """Exact wording that was shown or read to the contact."""
    source: str | None = Field(default=None, max_length=120, pattern=NO_NUL, examples=["Checkout, May 2026"])
    """Source of the consent, such as a form, campaign or shop."""
    occurred_at: Moment | None = None
    """Time of the consent. Defaults to now."""
    expires_at: Moment | None = None
    """Expiry of the consent. Implied consents also expire by law."""
    proof: Proof = {}
    """Further evidence, such as the IP address of the browser."""


class CreateSmsContact(Request):
    """Contact who can receive SMS messages after consenting."""

    phone: SmsPhone
    """Phone number with country code. Cannot be changed; another number is another contact."""
    name: Name | None = None
    """Name of the contact."""
    language: Language = "en"
    """Language of messages to the contact."""
    time_zone: TimeZone | None = None
    """Time zone of the contact. If omitted, messages wait until all time zones of the number's country permit them."""
    tags: SmsTags = []
    """Tags for segments."""
    variables: SmsVariables = {}
    """Variables available in message texts."""
    source: str | None = Field(default=None, max_length=120, pattern=NO_NUL)
    """Source of the contact."""
    consents: list[ConsentGiven] = Field(default=[], max_length=4)
    """Consents of the contact."""


class SmsContactRef(Request):
    """Reference to a contact."""

    sms_contact_id: RecordId
    """ID of the contact."""


class GetSmsContact(SmsContactRef, PageRequest):
    """Contact, and a page of its consents."""


class UpdateSmsContact(SmsContactRef):
    """Changes to a contact. Omitted fields stay as they are."""

    name: Name | None = None
    """Name of the contact."""
    language: Language | None = None
    """Language of messages to the contact."""
    time_zone: TimeZone | None = None
    """Time zone of the contact."""
    tags: SmsTags | None = None
    """Complete list of tags, replacing the existing ones."""
    variables: SmsVariables | None = None
    """Complete set of variables, replacing the existing ones."""


class ListSmsContacts(PageRequest):
    """Filters of contacts."""

    search: str | None = Field(default=None, min_length=2, max_length=60, pattern=NO_NUL)
    """Search in name and number."""
    tag: SmsTag | None = None
    """Filter by tag."""
    language: Language | None = None
    """Filter by language."""
    country: Country | None = None
    """Filter by country of the number."""


class RecordSmsConsent(SmsContactRef, ConsentGiven):
    """Consent of a contact."""


class RevokeSmsConsent(SmsContactRef):
    """Revocation of a contact's consent."""

    purpose: MessagePurpose | None = None
    """Purpose of the revoked consent. Defaults to all purposes."""
    method: ConsentMethod
    """Method of the revocation."""
    wording: str | None = Field(default=None, max_length=1000, pattern=NO_NUL)
    """Wording of the revocation."""
    occurred_at: Moment | None = None
    """Time of the revocation. Defaults to now."""


class SmsConsentRecord(Answer):
    """Consent or revocation."""

    id: int
    granted: Annotated[bool, doc("True for a consent, false for a revocation.")]
    purpose: MessagePurpose
    basis: ConsentBasis | None
    method: Annotated[str, doc("Method: web_form, paper, phone_call, in_person, email, text or other.")]
    wording: str | None
    source: str | None
    proof: Mapping[str, str]
    occurred_at: Annotated[datetime, doc("Time of the consent or revocation.")]
    expires_at: datetime | None
    recorded_at: Annotated[datetime, doc("Time of the recording.")]


class SmsPermission(Answer):
    """Permission to send messages of one purpose to a contact."""

    purpose: MessagePurpose
    consented: Annotated[bool, doc("If true, a valid consent for the number's country is in force.")]
    suppressed: Annotated[bool, doc("If true, the number is on a suppression list.")]
    allowed: Annotated[bool, doc("If true, the contact consented and is not suppressed.")]


class SmsContactRecord(Answer):
    """SMS contact."""

    id: int
    phone: str
    country: str
    name: str | None
    language: str
    time_zone: str | None
    tags: list[str]
    variables: Mapping[str, str]
    source: str | None
    permissions: Annotated[list[SmsPermission], doc("Permission for each purpose.")]
    created_at: datetime
    updated_at: datetime


class SmsContactAnswer(Answer):
    """Single contact."""

    result: bool = True
    contact: SmsContactRecord


class SmsContactDetail(PagedAnswer):
    """Contact, with a page of consents and revocations, newest first."""

    contact: SmsContactRecord
    consents: list[SmsConsentRecord]


class SmsContactList(PagedAnswer):
    """A page of contacts, newest first."""

    contacts: list[SmsContactRecord]
