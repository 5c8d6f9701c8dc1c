"""What a business sets for its texts, in requests and answers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.messaging.campaigns.contract.contacts import Country
from haulier.contexts.messaging.campaigns.rules.laws import ConsentBasis
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, OneLine
from haulier.kernel.values.moments import TimeOfDay

SegmentPrice = Annotated[int, Field(ge=0, le=10_000_000)]


class SetSmsMarketingSettings(Request):
    """What holds for all texts of the business."""

    business_name: Annotated[str, OneLine] = Field(
        min_length=2, max_length=40, pattern=NO_NUL, examples=["Demo Parcels"]
    )
    """What marketing texts call the sender; one that does not say it gets it in front."""
    help_contact: str = Field(min_length=3, max_length=80, pattern=NO_NUL, examples=["help@demo.example"])
    """Whom HELP is answered with: a telephone number, an address."""
    quiet_from: TimeOfDay | None = None
    """From when nothing is sent, on the recipient's clock, beside what the law of their country says."""
    quiet_until: TimeOfDay | None = None
    """Until when."""
    throttle_per_minute: int = Field(default=60, ge=1, le=60_000)
    """Texts handed over in a minute at most, of all campaigns together."""
    daily_cap: int = Field(default=10_000, ge=1, le=1_000_000)
    """Texts handed over in a day of the business at most."""
    contact_daily_cap: int = Field(default=1, ge=1, le=20)
    """Texts that one number gets in 24 hours at most; further ones wait."""
    segment_prices: dict[Country, SegmentPrice] = Field(default={}, max_length=250, examples=[{"CA": 7900}])
    """What a segment costs by country, in millionths of the business's currency."""
    default_segment_price: SegmentPrice = 0
    """What it costs to any other country."""
    us_registration: str | None = Field(default=None, max_length=40, pattern="^[A-Za-z0-9_-]+$", examples=["CXXXXXX"])
    """The campaign id with which the sender is registered (10DLC). Without it no campaign goes to numbers of the USA."""


class SmsMarketingSettings(Answer):
    """What holds for all texts of the business."""

    business_name: str
    help_contact: str
    quiet_from: Annotated[str | None, doc("On the recipient's clock.", "21:00:00")]
    quiet_until: str | None
    throttle_per_minute: int
    daily_cap: int
    contact_daily_cap: int
    segment_prices: Annotated[Mapping[str, int], doc("By country, in millionths of the currency.")]
    default_segment_price: Annotated[int, doc("To any other country.")]
    currency: str
    us_registration: str | None
    events_path: Annotated[str, doc("Where the provider sends receipts and answers to.", "/api/v1/sms-events/u2Fy0c")]
    updated_at: datetime


class SmsMarketingSettingsAnswer(Answer):
    """The settings; null until they are set."""

    result: bool = True
    settings: SmsMarketingSettings | None
    through: Annotated[str, doc("own_account, trial or nobody: through whom campaigns are sent.", "own_account")]


class SmsHours(Answer):
    """When texts may be sent, on the recipient's clock."""

    days: Annotated[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]], doc("On which days.")]
    begin: Annotated[str, doc("From when.", "09:00")]
    end: Annotated[str, doc("Until when.", "20:00")]


class SmsLawRecord(Answer):
    """What one country asks of marketing by text."""

    country: Annotated[str, doc("ISO 3166-1 alpha-2; `default` is for all that are not listed.", "CA")]
    statute: str
    bases: Annotated[list[ConsentBasis], doc("What a consent must rest on: one of these.")]
    hours: list[SmsHours]
    hours_by_law: Annotated[bool, doc("False where the hours are cautious ones, and no statute's.")]
    registration: Annotated[bool, doc("The sender must be registered with the carriers.")]
    honour_days: Annotated[int, doc("Business days within which a revocation must count; here it counts at once.")]


class SmsLawList(Answer):
    """The table of laws that texts keep to."""

    result: bool = True
    laws: list[SmsLawRecord]
