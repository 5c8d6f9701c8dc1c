"""How a business relays luggage, and what became of it on some days."""

from typing import Annotated, Literal

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Day

LIABILITY_MAX = 100_000_000


class SetLuggageSettings(Request):
    """How the business relays luggage; what is left out is as it was before anything was set."""

    pay_minutes: int = Field(default=60, ge=5, le=60 * 24 * 7)
    """A booking that is not paid for so many minutes is cancelled."""
    free_cancel_hours: int = Field(default=24, ge=0, le=24 * 30)
    """Until so many hours before the bags are handed in, cancelling gives everything back."""
    late_refund_percent: int = Field(default=50, ge=0, le=100)
    """After that, so much of the price."""
    pick_days: int = Field(default=3, ge=1, le=60)
    """The bags wait at their destination for so many days."""
    claim_days: int = Field(default=21, ge=1, le=365)
    """Claims are taken until so many days after the bags were collected, or the booking ended otherwise."""
    liability_minor: int = Field(default=0, ge=0, le=LIABILITY_MAX, examples=[150000])
    """The most that is paid for one bag besides its share of the price, in minor units of the booking's currency."""


class LuggageSettings(Answer, fields_of=SetLuggageSettings):
    """How the business relays luggage."""

    result: bool = True


class GetLuggageReport(Request):
    """Of which days, and how summed up."""

    first_day: Day
    """Of payment."""
    last_day: Day
    """At most a year later."""
    by: Literal["service", "day", "site"] = "service"
    """site: the locker site at the destination; empty for all other destinations."""
    limit: int = Field(default=100, ge=1, le=1000)
    """The groups with the most money."""


class LuggageSums(Answer):
    """What was relayed with a service, on a day, or to a site, in one currency."""

    key: Annotated[str, doc("The code of the service, the day, or the id of the destination's site.", "city-bags")]
    currency: str
    bookings: Annotated[int, doc("Bookings that were paid.")]
    bags: int
    gross_minor: Annotated[int, doc("What was paid for them, in minor units.")]
    refunded_minor: Annotated[int, doc("What went back, claims included.")]
    collected: int
    late: Annotated[int, doc("Bookings whose bags were not there in time.")]
    lost: Annotated[int, doc("Bookings of which no bag is known to be anywhere.")]
    cancelled: int


class LuggageReport(Answer):
    """What was relayed, the most money first."""

    result: bool = True
    groups: list[LuggageSums]
