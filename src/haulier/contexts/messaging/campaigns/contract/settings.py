"""Request and response models for SMS marketing settings."""

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
    """Settings for all SMS messages of the business."""

    business_name: Annotated[str, OneLine] = Field(
        min_length=2, max_length=40, pattern=NO_NUL, examples=["Demo Parcels"]
    )
    """Sender name in marketing messages. It is prepended to texts that do not contain it."""
    help_contact: str = Field(min_length=3, max_length=80, pattern=NO_NUL, examples=["help@demo.example"])
    """Contact sent in reply to HELP, such as a phone number or an email address."""
    quiet_from: TimeOfDay | None = None
    """Start of quiet hours in the recipient's time zone, in addition to the legal hours of their country."""
    quiet_until: TimeOfDay | None = None
    """End of quiet hours."""
    throttle_per_minute: int = Field(default=60, ge=1, le=60_000)
    """Maximum number of messages per minute, across all campaigns."""
    daily_cap: int = Field(default=10_000, ge=1, le=1_000_000)
    """Maximum number of messages per day in the business's time zone."""
    contact_daily_cap: int = Field(default=1, ge=1, le=20)
    """Maximum number of messages to one number in 24 hours. Further messages wait."""
    segment_prices: dict[Country, SegmentPrice] = Field(default={}, max_length=250, examples=[{"CA": 7900}])
    """Price per segment by country, in millionths of the business's currency."""
    default_segment_price: SegmentPrice = 0
    """Price per segment in all other countries."""
    us_registration: str | None = Field(default=None, max_length=40, pattern="^[A-Za-z0-9_-]+$", examples=["CXXXXXX"])
    """Registered campaign ID of the sender (10DLC). Required for campaigns to US numbers."""


class SmsMarketingSettings(Answer):
    """Settings for all SMS messages of the business."""

    business_name: str
    help_contact: str
    quiet_from: Annotated[str | None, doc("Start of quiet hours in the recipient's time zone.", "21:00:00")]
    quiet_until: str | None
    throttle_per_minute: int
    daily_cap: int
    contact_daily_cap: int
    segment_prices: Annotated[Mapping[str, int], doc("Price per segment by country, in millionths of the currency.")]
    default_segment_price: Annotated[int, doc("Price per segment in all other countries.")]
    currency: str
    us_registration: str | None
    events_path: Annotated[
        str, doc("Path to which the provider sends receipts and replies.", "/api/v1/sms-events/u2Fy0c")
    ]
    updated_at: datetime


class SmsMarketingSettingsAnswer(Answer):
    """SMS marketing settings. Null until they are set."""

    result: bool = True
    settings: SmsMarketingSettings | None
    through: Annotated[str, doc("Account used for campaigns: own_account, trial or nobody.", "own_account")]


class SmsHours(Answer):
    """Permitted sending hours in the recipient's time zone."""

    days: Annotated[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]], doc("Weekdays.")]
    begin: Annotated[str, doc("Start of the permitted hours.", "09:00")]
    end: Annotated[str, doc("Until when.", "20:00")]


class SmsLawRecord(Answer):
    """Legal requirements of a country for SMS marketing."""

    country: Annotated[
        str, doc("Country code (ISO 3166-1 alpha-2). `default` applies to all countries not listed.", "CA")
    ]
    statute: str
    bases: Annotated[list[ConsentBasis], doc("Accepted legal bases of a consent.")]
    hours: list[SmsHours]
    hours_by_law: Annotated[bool, doc("False if the hours are cautious defaults rather than law.")]
    registration: Annotated[bool, doc("If true, the sender must be registered with the carriers.")]
    honour_days: Annotated[int, doc("Business days within which a revocation must take effect. Here it is immediate.")]


class SmsLawList(Answer):
    """Legal requirements by country."""

    result: bool = True
    laws: list[SmsLawRecord]
