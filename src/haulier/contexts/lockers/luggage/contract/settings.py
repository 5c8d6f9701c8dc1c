"""Request and response models for luggage settings and reports."""

from typing import Annotated, Literal

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Day

LIABILITY_MAX = 100_000_000


class SetLuggageSettings(Request):
    """Settings of the luggage relay. Omitted fields are reset to their defaults."""

    pay_minutes: int = Field(default=60, ge=5, le=60 * 24 * 7)
    """Minutes after which an unpaid booking is cancelled."""
    free_cancel_hours: int = Field(default=24, ge=0, le=24 * 30)
    """Hours before the drop-off until which a cancellation is fully refunded."""
    late_refund_percent: int = Field(default=50, ge=0, le=100)
    """Percentage of the price refunded for later cancellations."""
    pick_days: int = Field(default=3, ge=1, le=60)
    """Days for which bags wait at their destination."""
    claim_days: int = Field(default=21, ge=1, le=365)
    """Days within which claims are accepted, counted from the collection or other end of the booking."""
    liability_minor: int = Field(default=0, ge=0, le=LIABILITY_MAX, examples=[150000])
    """Maximum compensation per bag in addition to its share of the price, in minor units of the booking's currency."""


class LuggageSettings(Answer, fields_of=SetLuggageSettings):
    """Settings of the luggage relay."""

    result: bool = True


class GetLuggageReport(Request):
    """Period and grouping of the report."""

    first_day: Day
    """First day of payment."""
    last_day: Day
    """Last day of payment, at most a year after the first."""
    by: Literal["service", "day", "site"] = "service"
    """Grouping. `site` is the locker site of the destination, empty for all other destinations."""
    limit: int = Field(default=100, ge=1, le=1000)
    """Maximum number of groups. The groups with the highest amounts are returned."""


class LuggageSums(Answer):
    """Luggage relayed with a service, on a day or to a site, in one currency."""

    key: Annotated[str, doc("Code of the service, day, or ID of the destination's site.", "city-bags")]
    currency: str
    bookings: Annotated[int, doc("Number of paid bookings.")]
    bags: int
    gross_minor: Annotated[int, doc("Amount paid, in minor units.")]
    refunded_minor: Annotated[int, doc("Amount refunded, including claims.")]
    collected: int
    late: Annotated[int, doc("Number of bookings whose bags arrived late.")]
    lost: Annotated[int, doc("Number of bookings whose bags are all lost.")]
    cancelled: int


class LuggageReport(Answer):
    """Relayed luggage, highest amount first."""

    result: bool = True
    groups: list[LuggageSums]
