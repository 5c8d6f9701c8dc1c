"""Zones and places, their windows, and places in them."""

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.booking.reservations.rules import BookingKind, NoShowFee, ReservationStatus
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import NO_NUL, ComparesPrice, Name, Reason, RecordId
from haulier.kernel.values.moments import Day, TimeOfDay
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.postal_codes import DISTINCT_PREFIXES, PostalPrefix

LOCAL = PriceFamily.LOCAL_DELIVERY
CAPACITY_MAX = 10_000
CUT_OFF_MAX = 14 * 24 * 60
HOLD_MIN, HOLD_MAX = 10, 120
MONEY_MAX = 10**12
MAX_RANGE_DAYS = 62
BookingPostalPrefixes = Annotated[list[PostalPrefix], Field(max_length=500), DISTINCT_PREFIXES]
BookingMinutes = Annotated[int, Field(ge=0, le=24 * 60)]
OfferMinutes = Annotated[int, Field(ge=5, le=24 * 60)]
VisitAddress = Annotated[str, Field(min_length=1, max_length=300, pattern=NO_NUL, examples=["65 Front St W, gate 3"])]
PostalCode = Annotated[
    str, Field(min_length=1, max_length=20, pattern=r"^[A-Za-z0-9][A-Za-z0-9 -]*$", examples=["M5V 2T6"])
]
Capacity = Annotated[int, Field(ge=0, le=CAPACITY_MAX)]
CutOff = Annotated[int, Field(ge=0, le=CUT_OFF_MAX)]
BookingMoney = Annotated[int, Field(ge=0, le=MONEY_MAX)]
BookingDay = Annotated[Day, Field(ge=date(2000, 1, 1), le=date(2100, 12, 31))]
IsoWeekdays = Annotated[list[Annotated[int, Field(ge=1, le=7)]], Field(min_length=1, max_length=7)]


class BookingZoneTerms(Request):
    """A zone in which windows are offered, or a place that people come to."""

    name: Name
    """What people call it."""
    postal_prefixes: BookingPostalPrefixes = []
    """Prefixes of the postal codes in the zone. Case, spaces and hyphens do not count; the longest matching prefix of all
    zones decides."""
    address: VisitAddress | None = None
    """Where people come for a visit."""
    check_in_before_min: BookingMinutes = 30
    """How many minutes before its window begins a visit can be checked in."""
    grace_min: BookingMinutes = 15
    """How many minutes after its window begins a visit that is not checked in counts as missed."""
    no_show_fee_minor: BookingMoney | None = None
    """What a missed visit costs its customer, in minor units of the business's currency."""
    no_show_refund: bool = False
    """Whether the price of a missed visit is given back."""
    offer_min: OfferMinutes = 60
    """For how many minutes a place that becomes free is kept for whoever is next on the waiting list."""


class CreateBookingZone(BookingZoneTerms):
    """A new zone, or a new place that people come to. What it is stays."""

    kind: BookingKind = BookingKind.DELIVERY
    """Deliveries to addresses in a zone, or visits to a dock, a pick-up point, a locker or an appointment."""


class UpdateBookingZone(BookingZoneTerms):
    """The new values of a zone."""

    zone_id: RecordId
    """The zone's id."""


class ListBookingZones(PageRequest):
    """Which zones to list."""


class BookingWindowHours(Request):
    """From when to when, by the clock of the business, and for how many."""

    starts: TimeOfDay = Field(examples=["10:00"])
    """When it begins, such as `10:00`."""
    ends: TimeOfDay = Field(examples=["12:00"])
    """When it ends, later on the same day."""
    capacity: Capacity
    """How many orders it takes."""
    cut_off_min: CutOff = 0
    """How many minutes before it begins it can be taken for the last time."""
    price_minor: BookingMoney | None = None
    """What it costs, in minor units of the business's currency."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> "BookingWindowHours":
        if self.ends <= self.starts:
            raise PydanticCustomError("window_ends_first", "the window ends before it begins")
        return self


class CreateBookingWindow(BookingWindowHours):
    """One window on one day."""

    zone_id: RecordId
    """The zone."""
    day: BookingDay
    """The day, today or later."""


class CreateBookingPattern(BookingWindowHours):
    """Windows that come back every week."""

    zone_id: RecordId
    """The zone."""
    weekdays: IsoWeekdays
    """On which days; 1 is Monday."""
    first_day: BookingDay | None = None
    """From which day on; today when left out."""
    last_day: BookingDay | None = None
    """Until which day; without end when left out."""


class BookingPatternRef(Request):
    """Which pattern."""

    pattern_id: RecordId
    """The pattern's id."""


class ListBookingPatterns(PageRequest):
    """Which patterns to list."""

    zone_id: RecordId | None = None
    """Only those of this zone."""


class UpdateBookingWindow(Request):
    """What to change of a window; what is left out stays."""

    window_id: RecordId
    """The window's id."""
    capacity: Capacity | None = None
    """How many orders it takes; not fewer than it has."""
    cut_off_min: CutOff | None = None
    """How many minutes before it begins it can be taken for the last time."""
    closed: bool | None = None
    """Whether nobody can take it any more. Who has it keeps it."""


class CloseBookingDay(Request):
    """A day whose windows are closed or opened again."""

    day: BookingDay
    """The day."""
    zone_id: RecordId | None = None
    """Only in this zone; in all when left out."""
    closed: bool = True
    """False opens it again."""


class BookingDayRange(PageRequest):
    """A range of days."""

    date_from: BookingDay | None = None
    """Today when left out."""
    date_to: BookingDay | None = None
    """Two weeks after the first when left out; 62 days at most."""


class ListBookingWindows(BookingDayRange):
    """Which windows to list."""

    zone_id: RecordId | None = None
    """Only those of this zone."""


class FindBookableWindows(BookingDayRange):
    """The days for which a customer looks for windows, and for what: exactly one of the three."""

    postal_code: PostalCode | None = None
    """The postal code of the address."""
    zone_id: RecordId | None = None
    """Visits to this place."""
    kind: BookingKind | None = None
    """Visits to every place of this kind."""


class HoldBookingWindow(Request):
    """A window in which a place is held."""

    window_id: RecordId
    """The window."""
    postal_code: PostalCode | None = None
    """The postal code of the address, which must lie in the window's zone; not for visits."""
    minutes: int = Field(default=HOLD_MIN, ge=1, le=HOLD_MAX)
    """For how long."""
    customer_id: RecordId | None = None
    """For which customer; customers hold for themselves."""


class ReservationRef(Request):
    """Which reservation."""

    reservation_id: RecordId
    """The reservation's id."""


class ConfirmReservation(ReservationRef):
    """A held place to confirm, and its order."""

    order_id: RecordId | None = None
    """The order that is to be delivered then. It must not be on its way or on a route. A visit needs none."""


class RescheduleReservation(ReservationRef):
    """A reservation to move to another window."""

    window_id: RecordId
    """The window to have instead, in the same zone."""


class CancelReservation(ReservationRef):
    """A reservation to cancel."""

    reason: Reason | None = None
    """Why."""


class ListReservations(PageRequest):
    """Which reservations to list. Customers see their own."""

    window_id: RecordId | None = None
    """Only those of this window."""
    order_id: RecordId | None = None
    """Only those of this order."""
    status: ReservationStatus | None = None
    """Only those that stand there."""
    no_show_fee: Annotated[NoShowFee | None, ComparesPrice(LOCAL)] = None
    """Only those that were missed, and whose fee is due, paid or waived."""


class BookingZone(Priced):
    """A zone in which windows are offered, or a place that people come to."""

    id: int
    name: str
    postal_prefixes: list[str]
    kind: BookingKind
    address: str | None
    check_in_before_min: int
    grace_min: int
    no_show_refund: bool
    offer_min: int
    no_show_fee_minor: Annotated[int | UnsetType, price(LOCAL, "What a missed visit costs, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET


class BookingZoneAnswer(Answer):
    """One zone."""

    result: bool = True
    zone: BookingZone


class BookingZones(PagedAnswer):
    """A page of zones, by name."""

    zones: list[BookingZone]


class BookingPattern(Priced):
    """Windows that come back every week."""

    id: int
    zone_id: int
    weekdays: list[int]
    starts: Annotated[str, doc("By the clock of the business.", "10:00")]
    ends: str
    capacity: int
    cut_off_min: int
    first_day: date
    last_day: date | None
    made_until: Annotated[date | None, doc("Until which day its windows are there.")]
    price_minor: Annotated[int | UnsetType, price(LOCAL, "What a window costs, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET


class BookingPatternAnswer(Answer):
    """One pattern, and how many windows it made now."""

    result: bool = True
    pattern: BookingPattern
    windows_made: int


class BookingPatterns(PagedAnswer):
    """A page of patterns, newest first."""

    patterns: list[BookingPattern]


class BookableWindow(Priced):
    """A window that can be taken."""

    id: int
    zone_id: int
    kind: BookingKind
    zone_name: str
    address: str | None
    day: date
    starts_at: datetime
    ends_at: datetime
    cut_off_at: Annotated[datetime, doc("Until when it can be taken.")]
    left: Annotated[int, doc("How many more orders it takes; what becomes free is first for those who wait.")]
    waiting: Annotated[int, doc("How many wait for a place.")]
    price_minor: Annotated[int | UnsetType, price(LOCAL, "What it costs, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET


class BookableWindows(PagedAnswer):
    """A page of windows that can be taken, soonest first."""

    windows: list[BookableWindow]


class BookingWindowDetail(BookableWindow):
    """A window, as the office sees it."""

    capacity: int
    taken: Annotated[int, doc("How many orders it has: confirmed, or held and not expired.")]
    closed: bool
    pattern_id: int | None


class BookingWindowAnswer(Answer):
    """One window."""

    result: bool = True
    window: BookingWindowDetail


class BookingWindows(PagedAnswer):
    """A page of windows, soonest first."""

    windows: list[BookingWindowDetail]


class BookingDayResult(Answer):
    """How many windows were closed, or opened again."""

    result: bool = True
    changed: int


class Reservation(Priced):
    """A place in a window."""

    id: int
    status: ReservationStatus
    window_id: int
    day: date
    starts_at: datetime
    ends_at: datetime
    kind: BookingKind
    zone_name: str
    address: str | None
    postal_code: str
    customer_id: int | None
    order_id: int | None
    code: Annotated[str | None, doc("What is said at the place to check in. Only visits have one.", "7K3F9Q")]
    check_in_from: Annotated[datetime | None, doc("From when a visit can be checked in.")]
    check_in_until: Annotated[datetime | None, doc("From when it counts as missed.")]
    checked_in_at: datetime | None
    held_at: datetime
    expires_at: Annotated[datetime, doc("Until when a hold has to be confirmed.")]
    confirmed_at: datetime | None
    ended_at: datetime | None
    reason: str | None
    price_minor: Annotated[int | UnsetType, price(LOCAL, "What it costs, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET
    no_show_fee_minor: Annotated[int | UnsetType, price(LOCAL, "What missing it costs, in minor units.")] = UNSET
    no_show_fee_paid: Annotated[bool | UnsetType, price(LOCAL, "Whether the fee of a missed visit was paid.")] = UNSET
    no_show_fee_status: Annotated[NoShowFee | UnsetType, price(LOCAL, "What became of the fee of a missed visit.")] = (
        UNSET
    )
    fee_waiver_reason: Annotated[str | None, doc("Why the office waived the fee.")]


class ReservationAnswer(Answer):
    """One reservation."""

    result: bool = True
    reservation: Reservation


class ReservationList(PagedAnswer):
    """A page of reservations, newest first."""

    reservations: list[Reservation]
