"""Request and response models of campaigns: campaigns."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.identity.fields import Language
from haulier.contexts.messaging.campaigns.contract.contacts import Country, SmsTags, SmsVariables
from haulier.contexts.messaging.campaigns.rules.campaigns import (
    CampaignStatus,
    ChosenBy,
    ComparisonState,
    MessageState,
    ReplyMeaning,
    SkipReason,
    TextEncoding,
    WinnerMeasure,
    has_loose_braces,
)
from haulier.contexts.messaging.campaigns.rules.sms_regulations import MessagePurpose
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import DocumentRequest, Request
from haulier.kernel.operations.fields import NO_NUL, Name, RecordId
from haulier.kernel.operations.ids import SmsMessageId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

VARIANT_KEYS = "ABCD"


class CampaignVariant(Request):
    """Message variant of a campaign."""

    sms_template_id: RecordId
    """ID of the template."""
    share_percent: int = Field(default=100, ge=1, le=100)
    """Share of recipients in percent. The shares of a campaign add up to 100."""


class CampaignTest(Request):
    """Test of variants on a sample. The rest of the audience gets the winner."""

    sample_percent: int = Field(ge=1, le=90, examples=[20])
    """Share of recipients in the test sample, in percent."""
    wait_minutes: int = Field(default=240, ge=1, le=10_080)
    """Measurement period in minutes after the sample was sent. Then the winner is chosen automatically."""
    measure: WinnerMeasure = WinnerMeasure.VISITS
    """Winning criterion: most visits (requires `link_url`) or fewest opt-outs. The other criterion, then the letter,
    breaks a tie."""


class SaveSmsCampaign(Request):
    """Campaign to the contacts of a segment, with one or more variants."""

    name: Name = Field(examples=["Summer sale"])
    """Internal name."""
    purpose: MessagePurpose = MessagePurpose.MARKETING
    """Purpose. Only contacts who consented to it receive messages."""
    sms_segment_id: RecordId
    """ID of the target segment."""
    variants: list[CampaignVariant] = Field(min_length=1, max_length=len(VARIANT_KEYS))
    """Message variants. Each recipient gets one of them."""
    test: CampaignTest | None = None
    """Test that chooses a winner for the rest of the audience. If omitted, all variants keep their shares."""
    link_url: str | None = Field(
        default=None, max_length=1000, pattern=r"^https://[^\x00-\x20]+$", examples=["https://demo.example/sale"]
    )
    """Target of `{link}`. Each recipient gets a unique short link, whose visits are counted."""
    cost_cap_micros: int | None = Field(default=None, ge=0, le=10**15, examples=[50_000_000])
    """Cost cap in millionths of the currency. The campaign pauses when it is reached."""

    @model_validator(mode="after")
    def _shares_are_whole(self) -> Self:
        if sum(variant.share_percent for variant in self.variants) != 100:
            raise PydanticCustomError("sms_shares", "the shares are not a hundred")
        if self.test and (len(self.variants) < 2 or (self.test.measure is WinnerMeasure.VISITS and not self.link_url)):
            raise PydanticCustomError("sms_test", "a test needs several variants, and a link for visits")
        return self


class SmsCampaignRef(Request):
    """Reference to a campaign."""

    sms_campaign_id: RecordId
    """ID of the campaign."""


class UpdateSmsCampaign(SmsCampaignRef, SaveSmsCampaign):
    """Replacement of a draft."""


class ChooseSmsCampaignWinner(SmsCampaignRef):
    """Variant for the rest of the audience."""

    variant: Literal["A", "B", "C", "D"]
    """Letter of the variant."""


class ScheduleSmsCampaign(SmsCampaignRef):
    """Start of a campaign."""

    starts_at: Moment | None = None
    """Start time. Defaults to now. Each message waits for the permitted hours of its recipient."""


class ListSmsCampaigns(PageRequest):
    """Filters of campaigns."""

    status: CampaignStatus | None = None
    """Filter by status."""


class ListSmsMessages(SmsCampaignRef, PageRequest):
    """Filters of a campaign's messages."""

    state: MessageState | None = None
    """Filter by state."""


class SmsVariantRecord(Answer):
    """Message variant of a campaign."""

    key: Annotated[str, doc("Letter from A to D.", "A")]
    sms_template_id: int
    share_percent: int
    texts: Annotated[Mapping[str, str] | None, doc("Final texts by language. Null until the campaign is scheduled.")]


class SmsTestRecord(Answer):
    """Test of a campaign's variants."""

    sample_percent: int
    wait_minutes: int
    measure: WinnerMeasure
    state: ComparisonState
    measured_until: Annotated[datetime | None, doc("End of the measurement. Null until the sample was sent.")]
    winner: Annotated[str | None, doc("Winning letter from A to D. Null until it is chosen.", "A")]
    chosen_by: ChosenBy | None
    chosen_at: datetime | None


class SmsCampaignRecord(Answer):
    """SMS campaign."""

    id: int
    name: str
    purpose: MessagePurpose
    status: CampaignStatus
    sms_segment_id: int | None
    variants: list[SmsVariantRecord]
    test: SmsTestRecord | None
    link_url: str | None
    cost_cap_micros: int | None
    starts_at: datetime | None
    pause_reason: Annotated[
        str | None, doc("Reason for the pause: by_hand, cost_cap, no_account or provider.", "cost_cap")
    ]
    prepared: Annotated[int, doc("Number of recipients whose message is prepared.")]
    actions: Annotated[list[str], doc("Available actions: schedule, pause, resume, cancel.")]
    created_at: datetime
    begun_at: datetime | None
    finished_at: datetime | None


class SmsCampaignAnswer(Answer):
    """Single campaign."""

    result: bool = True
    campaign: SmsCampaignRecord


class SmsCampaignList(PagedAnswer):
    """A page of campaigns, newest first."""

    campaigns: list[SmsCampaignRecord]


class SmsVariantReport(Answer):
    """Results of a variant."""

    variant: Annotated[str, doc("Letter from A to D.", "A")]
    recipients: int
    states: Annotated[Mapping[str, int], doc("Number of messages by state.")]
    skipped: Annotated[Mapping[str, int], doc("Number of unsent messages by reason.")]
    segments_sent: int
    cost_sent_micros: Annotated[int, doc("Cost of sent messages in millionths of the currency.")]
    clicked: Annotated[int, doc("Number of recipients who visited their link.")]
    clicks: int
    opted_out: Annotated[int, doc("Number of recipients who replied STOP.")]


class SmsCampaignReport(Answer):
    """Results of a campaign by variant."""

    result: bool = True
    campaign: SmsCampaignRecord
    recipients: int
    variants: list[SmsVariantReport]


class SmsMessageRecord(Answer):
    """Message to one recipient and its state."""

    id: int
    contact_id: int
    phone: str
    variant: str | None
    text: str
    segments: int
    cost_micros: int
    state: MessageState
    reason: Annotated[
        str | None, doc("Reason for not sending it, or the provider's code.", SkipReason.NO_CONSENT.value)
    ]
    claimed_at: datetime | None
    sent_at: datetime | None
    settled_at: datetime | None
    clicks: int
    opted_out_at: datetime | None


class SmsMessageList(PagedAnswer):
    """Page of a campaign's messages in order."""

    messages: list[SmsMessageRecord]


_FORM = {"title": "SmsNotice", "type": "object", "description": "A form as Twilio or Vonage writes it."}
_JSON = {"title": "SmsNoticeDocument", "type": "object", "description": "A document as Vonage writes it."}


class ReceiveSmsEvent(DocumentRequest):
    """Delivery receipt or reply, as sent by the provider."""

    media_types: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "application/x-www-form-urlencoded": _FORM,
        "application/json": _JSON,
    }
    endpoint_key: Annotated[str, Field(max_length=60, examples=["u2Fy0c"])] = ""
    """Last part of the path shown by `get_sms_marketing_settings`."""
    message: SmsMessageId | None = None
    """ID of the message that a receipt is about, from the callback URL."""
    signature: Annotated[str, Field(max_length=1000, examples=["RSOYDt4T1cUTdK1PDd93/VVr8B8="])] = ""
    """`X-Twilio-Signature` header. Vonage signs within the notification."""


class SmsEventReceived(Answer):
    """Confirmation of a received notification."""

    result: bool = True
    repeated: Annotated[bool, doc("If true, the notification was a repeat or not relevant.")]


class ReplyOutcome(StrEnum):
    """Meaning of a reply, as reviewed by staff."""

    OPTED_OUT = "opted_out"
    """The contact opted out."""
    ANSWERED = "answered"
    """The reply has another meaning."""


class SmsReplyRef(Request):
    """Reference to a reply."""

    sms_reply_id: RecordId
    """ID of the reply."""


class ResolveSmsReply(SmsReplyRef):
    """Meaning of a reply."""

    outcome: ReplyOutcome
    """Meaning of the reply."""


class ListSmsReplies(PageRequest):
    """Filters of replies."""

    needs_person: bool | None = None
    """If true, only replies that staff must review; if false, only the others."""


class SmsReplyRecord(Answer):
    """Reply of a recipient."""

    id: int
    phone: str
    contact_id: int | None
    campaign_id: Annotated[int | None, doc("Campaign of the last message to the number.")]
    text: str
    meaning: ReplyMeaning
    needs_person: bool
    resolution: ReplyOutcome | None
    received_at: datetime
    resolved_at: datetime | None


class SmsReplyAnswer(Answer):
    """Single reply."""

    result: bool = True
    reply: SmsReplyRecord


class SmsReplyList(PagedAnswer):
    """Page of replies, newest first."""

    replies: list[SmsReplyRecord]


class FollowSmsLink(Request):
    """Reference to a short link."""

    code: str = Field(min_length=7, max_length=50, pattern="^[a-z0-9_-]+$", examples=["1-1-1-abcd"])
    """Last part of the short link."""


class SmsLinkTarget(Answer):
    """Target of a short link."""

    result: bool = True
    url: str


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
    """Tags. Contacts must have at least one of them."""
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
