"""Request and response models for campaigns and their messages."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose
from haulier.contexts.messaging.campaigns.rules.lifecycle import CampaignStatus, MessageState, SkipReason
from haulier.contexts.messaging.campaigns.rules.winners import ChosenBy, ComparisonState, WinnerMeasure
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId
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
