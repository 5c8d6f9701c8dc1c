"""Campaigns and the fates of their texts, in requests and answers."""

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
    """One of the texts that a campaign tries."""

    sms_template_id: RecordId
    """The template."""
    share_percent: int = Field(default=100, ge=1, le=100)
    """Of how many recipients in a hundred; the shares of a campaign are a hundred together."""


class CampaignTest(Request):
    """A share of the audience tries the variants; the rest gets the one that wins."""

    sample_percent: int = Field(ge=1, le=90, examples=[20])
    """Of how many recipients in a hundred try the variants, in their shares."""
    wait_minutes: int = Field(default=240, ge=1, le=10_080)
    """How long visits and stops are counted once the sample has its texts, in minutes; then the rule chooses."""
    measure: WinnerMeasure = WinnerMeasure.VISITS
    """What decides: the largest share of visits, which needs `link_url`, or the smallest of STOP. The other breaks a tie, then
    the letter."""


class SaveSmsCampaign(Request):
    """A text, or several that are compared, to the contacts of a segment."""

    name: Name = Field(examples=["Summer sale"])
    """What the office calls it."""
    purpose: MessagePurpose = MessagePurpose.MARKETING
    """What it is for: only contacts who consented to it get it."""
    sms_segment_id: RecordId
    """Whom it is for."""
    variants: list[CampaignVariant] = Field(min_length=1, max_length=len(VARIANT_KEYS))
    """Its text, or several of which each recipient gets one."""
    test: CampaignTest | None = None
    """How a winner is chosen for most of the audience; without it each variant keeps its share of all."""
    link_url: str | None = Field(
        default=None, max_length=1000, pattern=r"^https://[^\x00-\x20]+$", examples=["https://demo.example/sale"]
    )
    """Where `{link}` leads; each recipient has a short link of their own, whose visits are counted."""
    cost_cap_micros: int | None = Field(default=None, ge=0, le=10**15, examples=[50_000_000])
    """What it may cost at most, in millionths of the currency; it pauses there."""

    @model_validator(mode="after")
    def _shares_are_whole(self) -> Self:
        if sum(variant.share_percent for variant in self.variants) != 100:
            raise PydanticCustomError("sms_shares", "the shares are not a hundred")
        if self.test and (len(self.variants) < 2 or (self.test.measure is WinnerMeasure.VISITS and not self.link_url)):
            raise PydanticCustomError("sms_test", "a test needs several variants, and a link for visits")
        return self


class SmsCampaignRef(Request):
    """Which campaign."""

    sms_campaign_id: RecordId
    """The campaign's id."""


class UpdateSmsCampaign(SmsCampaignRef, SaveSmsCampaign):
    """A draft as it shall be."""


class ChooseSmsCampaignWinner(SmsCampaignRef):
    """Which variant the rest of the audience gets."""

    variant: Literal["A", "B", "C", "D"]
    """Its letter."""


class ScheduleSmsCampaign(SmsCampaignRef):
    """When a campaign begins."""

    starts_at: Moment | None = None
    """When; at once when left out. Each text then waits for the hours of its recipient."""


class ListSmsCampaigns(PageRequest):
    """Which campaigns."""

    status: CampaignStatus | None = None
    """Only those in a status."""


class ListSmsMessages(SmsCampaignRef, PageRequest):
    """Whose texts, and which."""

    state: MessageState | None = None
    """Only those in a state."""


class SmsVariantRecord(Answer):
    """One of the texts of a campaign."""

    key: Annotated[str, doc("A to D.", "A")]
    sms_template_id: int
    share_percent: int
    texts: Annotated[Mapping[str, str] | None, doc("By language, as they are sent; null until it is scheduled.")]


class SmsTestRecord(Answer):
    """The test of a campaign's variants."""

    sample_percent: int
    wait_minutes: int
    measure: WinnerMeasure
    state: ComparisonState
    measured_until: Annotated[datetime | None, doc("When the rule chooses; null until the sample has its texts.")]
    winner: Annotated[str | None, doc("A to D, once it is chosen.", "A")]
    chosen_by: ChosenBy | None
    chosen_at: datetime | None


class SmsCampaignRecord(Answer):
    """A campaign."""

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
    pause_reason: Annotated[str | None, doc("by_hand, cost_cap, no_account or provider.", "cost_cap")]
    prepared: Annotated[int, doc("Recipients who have a text so far.")]
    actions: Annotated[list[str], doc("What can be done now: schedule, pause, resume, cancel.")]
    created_at: datetime
    begun_at: datetime | None
    finished_at: datetime | None


class SmsCampaignAnswer(Answer):
    """One campaign."""

    result: bool = True
    campaign: SmsCampaignRecord


class SmsCampaignList(PagedAnswer):
    """A page of campaigns, newest first."""

    campaigns: list[SmsCampaignRecord]


class SmsVariantReport(Answer):
    """What became of the texts of a variant."""

    variant: Annotated[str, doc("A to D.", "A")]
    recipients: int
    states: Annotated[Mapping[str, int], doc("How many texts are in which state.")]
    skipped: Annotated[Mapping[str, int], doc("How many were not sent, by reason.")]
    segments_sent: int
    cost_sent_micros: Annotated[int, doc("Of what was handed over, in millionths of the currency.")]
    clicked: Annotated[int, doc("Recipients who visited their link.")]
    clicks: int
    opted_out: Annotated[int, doc("Recipients who answered with STOP.")]


class SmsCampaignReport(Answer):
    """What became of a campaign, by variant."""

    result: bool = True
    campaign: SmsCampaignRecord
    recipients: int
    variants: list[SmsVariantReport]


class SmsMessageRecord(Answer):
    """The fate of one recipient's text."""

    id: int
    contact_id: int
    phone: str
    variant: str | None
    text: str
    segments: int
    cost_micros: int
    state: MessageState
    reason: Annotated[str | None, doc("Why it was not sent, or the provider's code.", SkipReason.NO_CONSENT.value)]
    claimed_at: datetime | None
    sent_at: datetime | None
    settled_at: datetime | None
    clicks: int
    opted_out_at: datetime | None


class SmsMessageList(PagedAnswer):
    """A page of the texts of a campaign, in their order."""

    messages: list[SmsMessageRecord]
