"""Request and response models for templates, segments and previews."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.identity.fields import Language
from haulier.contexts.messaging.campaigns.contract.contacts import Country, SmsTags, SmsVariables
from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose
from haulier.contexts.messaging.campaigns.rules.texts import TextEncoding, has_loose_braces
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, RecordId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SmsBody = Annotated[str, Field(min_length=1, max_length=1000, pattern=NO_NUL)]
SmsTexts = Annotated[
    dict[Language, SmsBody], Field(min_length=1, max_length=6, examples=[{"en": "Hi {name|there}, 10% off: {link}"}])
]


class SaveSmsTemplate(Request):
    """Message template in several languages."""

    name: Name = Field(examples=["Summer sale"])
    """Internal name."""
    purpose: MessagePurpose = MessagePurpose.MARKETING
    """Purpose of the messages."""
    texts: SmsTexts
    """Text by language. `{name}`, `{business}`, `{link}` and contact variables are replaced; text after `|` is the
    fallback."""
    language: Language = "en"
    """Fallback language for contacts without a matching text. It must be one of the texts."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.language not in self.texts:
            raise PydanticCustomError("sms_no_such_text", "no text in the language of the template")
        if any(has_loose_braces(text) for text in self.texts.values()):
            raise PydanticCustomError("sms_loose_braces", "braces that are no variable", {"open": "{", "close": "}"})
        return self


class SmsTemplateRef(Request):
    """Reference to a template."""

    sms_template_id: RecordId
    """ID of the template."""


class UpdateSmsTemplate(SmsTemplateRef, SaveSmsTemplate):
    """Replacement of a template."""


class ListSmsTemplates(PageRequest):
    """Page of templates to list."""


class SmsTemplateRecord(Answer):
    """Message template in several languages."""

    id: int
    name: str
    purpose: MessagePurpose
    texts: Mapping[str, str]
    language: str
    updated_at: datetime


class SmsTemplateAnswer(Answer):
    """Single template."""

    result: bool = True
    template: SmsTemplateRecord


class SmsTemplateList(PagedAnswer):
    """A page of templates, by name."""

    templates: list[SmsTemplateRecord]


class PreviewSmsText(Request):
    """Message text to preview."""

    text: SmsBody = Field(examples=["Hi {name|there}, 10% off until Sunday: {link}"])
    """Text with variables."""
    purpose: MessagePurpose = MessagePurpose.MARKETING
    """Purpose. A marketing message names its sender and how to opt out."""
    language: Language = "en"
    """Language of the sender name and opt-out text."""
    name: Name | None = None
    """Name of the recipient."""
    variables: SmsVariables = {}
    """Values of the variables."""
    country: Country = "CA"
    """Country of the number, for the price."""


class SmsPreview(Answer):
    """Message as it would be sent."""

    result: bool = True
    text: Annotated[str, doc("Full text with the sender's name and opt-out information.")]
    encoding: TextEncoding
    units: Annotated[int, doc("Length in septets (GSM-7) or UTF-16 units (UCS-2).", 96)]
    segments: Annotated[
        int,
        doc("Number of billed segments: 160 septets, or 153 each if there are several; 70 or 67 units in UCS-2.", 1),
    ]
    left_in_segment: Annotated[int, doc("Units that still fit into the last segment.", 64)]
    segment_cost_micros: Annotated[int, doc("Cost per segment in millionths of the currency.", 7900)]
    total_cost_micros: Annotated[int, doc("Total cost in millionths of the currency.", 7900)]
    currency: str


class SaveSmsSegment(Request):
    """Conditions of a segment. Contacts must match all of them."""

    name: Name = Field(examples=["Toronto, VIP"])
    """Internal name."""
    languages: list[Language] = Field(default=[], max_length=6)
    """Languages of contacts, any of them."""
    countries: list[Country] = Field(default=[], max_length=50)
    """Countries of numbers, any of them."""
    tags_all: SmsTags = []
    """Tags that contacts must all have."""
    tags_any: SmsTags = []
    """Tags of which contacts must have at least one."""
    tags_none: SmsTags = []
    """Tags that contacts must not have."""
    created_after: Moment | None = None
    """Only contacts added after this time."""


class SmsSegmentRef(Request):
    """Reference to a segment."""

    sms_segment_id: RecordId
    """ID of the segment."""


class UpdateSmsSegment(SmsSegmentRef, SaveSmsSegment):
    """Replacement of a segment."""


class ListSmsSegments(PageRequest):
    """Page of segments to list."""


class SmsSegmentRecord(Answer):
    """Conditions of a segment. Contacts must match all of them."""

    id: int
    name: str
    languages: list[str]
    countries: list[str]
    tags_all: list[str]
    tags_any: list[str]
    tags_none: list[str]
    created_after: datetime | None
    updated_at: datetime


class SmsReach(Answer):
    """Number of a segment's contacts for one language and country."""

    language: str
    country: str
    contacts: int
    reachable: Annotated[int, doc("Number of contacts who can receive marketing messages now.")]


class SmsSegmentAnswer(Answer):
    """Segment and its current reach."""

    result: bool = True
    segment: SmsSegmentRecord
    contacts: Annotated[int, doc("Number of contacts that match now.")]
    reachable: Annotated[int, doc("Number of contacts who can receive marketing messages now.")]
    reach: list[SmsReach]


class SmsSegmentList(PagedAnswer):
    """A page of segments, by name."""

    segments: list[SmsSegmentRecord]
