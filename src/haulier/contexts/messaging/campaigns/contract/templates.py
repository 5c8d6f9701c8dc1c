"""Templates, segments and previews, in requests and answers."""

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
    """A text in the languages of its readers."""

    name: Name = Field(examples=["Summer sale"])
    """What the office calls it."""
    purpose: MessagePurpose = MessagePurpose.MARKETING
    """What it is for."""
    texts: SmsTexts
    """The text by language. `{name}`, `{business}`, `{link}` and a contact's own variables are filled in; what follows a
    name after `|` stands where there is none."""
    language: Language = "en"
    """The language of contacts in whose language there is no text; it must be one of the texts."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.language not in self.texts:
            raise PydanticCustomError("sms_no_such_text", "no text in the language of the template")
        if any(has_loose_braces(text) for text in self.texts.values()):
            raise PydanticCustomError("sms_loose_braces", "braces that are no variable", {"open": "{", "close": "}"})
        return self


class SmsTemplateRef(Request):
    """Which template."""

    sms_template_id: RecordId
    """The template's id."""


class UpdateSmsTemplate(SmsTemplateRef, SaveSmsTemplate):
    """A template as it shall be."""


class ListSmsTemplates(PageRequest):
    """Which page of the templates."""


class SmsTemplateRecord(Answer):
    """A text in the languages of its readers."""

    id: int
    name: str
    purpose: MessagePurpose
    texts: Mapping[str, str]
    language: str
    updated_at: datetime


class SmsTemplateAnswer(Answer):
    """One template."""

    result: bool = True
    template: SmsTemplateRecord


class SmsTemplateList(PagedAnswer):
    """A page of templates, by name."""

    templates: list[SmsTemplateRecord]


class PreviewSmsText(Request):
    """A text as somebody would get it."""

    text: SmsBody = Field(examples=["Hi {name|there}, 10% off until Sunday: {link}"])
    """The text with its variables."""
    purpose: MessagePurpose = MessagePurpose.MARKETING
    """What it is for: a marketing text names its sender and how to end it."""
    language: Language = "en"
    """The language in which it says so."""
    name: Name | None = None
    """Whom it is for."""
    variables: SmsVariables = {}
    """What it says of them."""
    country: Country = "CA"
    """Where the number is, for the price."""


class SmsPreview(Answer):
    """A text as it would be sent."""

    result: bool = True
    text: Annotated[str, doc("All of it, with the sender's name and how to end it.")]
    encoding: TextEncoding
    units: Annotated[int, doc("Septets of GSM-7, or UTF-16 units of UCS-2.", 96)]
    segments: Annotated[
        int, doc("What is paid for: 160 or, where there are several, 153 septets each; 70 or 67 units.", 1)
    ]
    left_in_segment: Annotated[int, doc("Units that still fit without a further segment.", 64)]
    segment_cost_micros: Annotated[int, doc("Of one segment, in millionths of the currency.", 7900)]
    total_cost_micros: Annotated[int, doc("Of the text.", 7900)]
    currency: str


class SaveSmsSegment(Request):
    """Contacts that match all of these."""

    name: Name = Field(examples=["Toronto, VIP"])
    """What the office calls it."""
    languages: list[Language] = Field(default=[], max_length=6)
    """Of one of these languages."""
    countries: list[Country] = Field(default=[], max_length=50)
    """With a number of one of these countries."""
    tags_all: SmsTags = []
    """With all of these tags."""
    tags_any: SmsTags = []
    """With one of these tags at least."""
    tags_none: SmsTags = []
    """With none of these tags."""
    created_after: Moment | None = None
    """Added after this."""


class SmsSegmentRef(Request):
    """Which segment."""

    sms_segment_id: RecordId
    """The segment's id."""


class UpdateSmsSegment(SmsSegmentRef, SaveSmsSegment):
    """A segment as it shall be."""


class ListSmsSegments(PageRequest):
    """Which page of the segments."""


class SmsSegmentRecord(Answer):
    """Contacts that match all of these."""

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
    """How many contacts of one language and country a segment has."""

    language: str
    country: str
    contacts: int
    reachable: Annotated[int, doc("Of these, how many marketing texts may go to now.")]


class SmsSegmentAnswer(Answer):
    """One segment, and whom it reaches now."""

    result: bool = True
    segment: SmsSegmentRecord
    contacts: Annotated[int, doc("Contacts that match now.")]
    reachable: Annotated[int, doc("Of these, how many marketing texts may go to now.")]
    reach: list[SmsReach]


class SmsSegmentList(PagedAnswer):
    """A page of segments, by name."""

    segments: list[SmsSegmentRecord]
