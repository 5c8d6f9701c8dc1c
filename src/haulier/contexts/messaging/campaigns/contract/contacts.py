"""Contacts and what they agreed to, in requests and answers."""

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
    """How somebody agreed or revoked."""

    WEB_FORM = "web_form"
    PAPER = "paper"
    PHONE_CALL = "phone_call"
    IN_PERSON = "in_person"
    EMAIL = "email"
    TEXT = "text"
    OTHER = "other"


class ConsentGiven(Request):
    """That somebody agreed, and what shows it."""

    purpose: MessagePurpose = MessagePurpose.MARKETING
    """What they agreed to; one is not the other."""
    basis: ConsentBasis
    """What it rests on; the country of the number must take it."""
    method: ConsentMethod
    """How they agreed."""
    wording: str = Field(
        min_length=1, max_length=1000, pattern=NO_NUL, examples=["Yes, text me offers. Up to 4 a month; STOP ends it."]
    )
    """The very words that they were shown or told."""
    source: str | None = Field(default=None, max_length=120, pattern=NO_NUL, examples=["Checkout, May 2026"])
    """Where: the form, the campaign, the shop."""
    occurred_at: Moment | None = None
    """When they agreed; now when left out."""
    expires_at: Moment | None = None
    """When it ends; implied consents end by law even when left out."""
    proof: Proof = {}
    """What else shows it, such as the address of the browser."""


class CreateSmsContact(Request):
    """Somebody who may be sent texts once they agreed."""

    phone: SmsPhone
    """A number with its country code. It is never changed: another number is another contact."""
    name: Name | None = None
    """What they are called."""
    language: Language = "en"
    """The language of their texts."""
    time_zone: TimeZone | None = None
    """Where they are. Left out, texts wait until their hours have come in every zone of the number's country."""
    tags: SmsTags = []
    """Words by which segments find them."""
    variables: SmsVariables = {}
    """What texts may say of them."""
    source: str | None = Field(default=None, max_length=120, pattern=NO_NUL)
    """Where the contact is from."""
    consents: list[ConsentGiven] = Field(default=[], max_length=4)
    """What they agreed to."""


class SmsContactRef(Request):
    """Which contact."""

    sms_contact_id: RecordId
    """The contact's id."""


class GetSmsContact(SmsContactRef, PageRequest):
    """Which contact, and which page of what they agreed to."""


class UpdateSmsContact(SmsContactRef):
    """What changes; what is left out stays."""

    name: Name | None = None
    """What they are called."""
    language: Language | None = None
    """The language of their texts."""
    time_zone: TimeZone | None = None
    """Where they are."""
    tags: SmsTags | None = None
    """All of their tags."""
    variables: SmsVariables | None = None
    """All that texts may say of them."""


class ListSmsContacts(PageRequest):
    """Which contacts."""

    search: str | None = Field(default=None, min_length=2, max_length=60, pattern=NO_NUL)
    """A part of the name or the number."""
    tag: SmsTag | None = None
    """Only those with a tag."""
    language: Language | None = None
    """Only those of a language."""
    country: Country | None = None
    """Only numbers of a country."""


class RecordSmsConsent(SmsContactRef, ConsentGiven):
    """What a contact agreed to."""


class RevokeSmsConsent(SmsContactRef):
    """What a contact agreed to no longer."""

    purpose: MessagePurpose | None = None
    """What they revoked; everything when left out."""
    method: ConsentMethod
    """How they said so."""
    wording: str | None = Field(default=None, max_length=1000, pattern=NO_NUL)
    """What they said."""
    occurred_at: Moment | None = None
    """When they said so; now when left out."""


class SmsConsentRecord(Answer):
    """A consent, or its revocation."""

    id: int
    granted: Annotated[bool, doc("True for a consent, false for a revocation.")]
    purpose: MessagePurpose
    basis: ConsentBasis | None
    method: Annotated[str, doc("How: web_form, paper, phone_call, in_person, email, text or other.")]
    wording: str | None
    source: str | None
    proof: Mapping[str, str]
    occurred_at: Annotated[datetime, doc("When they said so.")]
    expires_at: datetime | None
    recorded_at: Annotated[datetime, doc("When it was written down.")]


class SmsPermission(Answer):
    """Whether texts of one purpose may go to a contact now."""

    purpose: MessagePurpose
    consented: Annotated[bool, doc("A consent that the number's country takes is in force.")]
    suppressed: Annotated[bool, doc("The number is on a list of those that get none.")]
    allowed: Annotated[bool, doc("Consented and not suppressed.")]


class SmsContactRecord(Answer):
    """A contact."""

    id: int
    phone: str
    country: str
    name: str | None
    language: str
    time_zone: str | None
    tags: list[str]
    variables: Mapping[str, str]
    source: str | None
    permissions: Annotated[list[SmsPermission], doc("For each purpose whether texts may go there.")]
    created_at: datetime
    updated_at: datetime


class SmsContactAnswer(Answer):
    """One contact."""

    result: bool = True
    contact: SmsContactRecord


class SmsContactDetail(PagedAnswer):
    """A contact, and a page of what they agreed to and revoked, newest first."""

    contact: SmsContactRecord
    consents: list[SmsConsentRecord]


class SmsContactList(PagedAnswer):
    """A page of contacts, newest first."""

    contacts: list[SmsContactRecord]
