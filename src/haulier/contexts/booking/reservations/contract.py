"""Request and response models of reservations."""

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.booking.reservations.rules import BookingKind, NoShowFee, ReservationStatus, WaitingStatus
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import NO_NUL, ComparesPrice, Name, Reason, RecordId
from haulier.kernel.operations.ids import BookingWindowId
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
    """Terms of a delivery zone, or of a place for visits."""

    name: Name
    """Display name."""
    postal_prefixes: BookingPostalPrefixes = []
    """Postal code prefixes of the zone. Case, spaces and hyphens are ignored. The longest match among all zones wins."""
    address: VisitAddress | None = None
    """Address of the place for visits."""
    check_in_before_min: BookingMinutes = 30
    """Start of check-in, in minutes before the window begins."""
    grace_min: BookingMinutes = 15
    """Grace period in minutes after the window begins. Then a visit without check-in counts as missed."""
    no_show_fee_minor: BookingMoney | None = None
    """Fee for a missed visit in minor units of the business's currency."""
    no_show_refund: bool = False
    """If true, refund the price of a missed visit."""
    offer_min: OfferMinutes = 60
    """Time in minutes for which a free place is offered to the next waiting list entry."""


class CreateBookingZone(BookingZoneTerms):
    """New delivery zone or place for visits. Its kind cannot be changed."""

    kind: BookingKind = BookingKind.DELIVERY
    """Kind: deliveries to a zone, or visits to a dock, pickup point, locker or appointment."""


class UpdateBookingZone(BookingZoneTerms):
    """New values of a zone."""

    zone_id: RecordId
    """ID of the zone."""


class ListBookingZones(PageRequest):
    """Page of zones to list."""


class BookingWindowHours(Request):
    """Times in the business's time zone, capacity and price of a window."""

    starts: TimeOfDay = Field(examples=["10:00"])
    """Start time, such as `10:00`."""
    ends: TimeOfDay = Field(examples=["12:00"])
    """End time, later on the same day."""
    capacity: Capacity
    """Maximum number of orders."""
    cut_off_min: CutOff = 0
    """Booking cut-off in minutes before the window begins."""
    price_minor: BookingMoney | None = None
    """Price in minor units of the business's currency."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> "BookingWindowHours":
        if self.ends <= self.starts:
            raise PydanticCustomError("window_ends_first", "the window ends before it begins")
        return self


class CreateBookingWindow(BookingWindowHours):
    """Single window on one day."""

    zone_id: RecordId
    """ID of the zone."""
    day: BookingDay
    """Day of the window, today or later."""


class CreateBookingPattern(BookingWindowHours):
    """Windows that repeat every week."""

    zone_id: RecordId
    """ID of the zone."""
    weekdays: IsoWeekdays
    """Weekdays of the windows. 1 is Monday."""
    first_day: BookingDay | None = None
    """First day of the pattern. Defaults to today."""
    last_day: BookingDay | None = None
    """Last day of the pattern. If omitted, the pattern has no end."""


class BookingPatternRef(Request):
    """Reference to a pattern."""

    pattern_id: RecordId
    """ID of the pattern."""


class ListBookingPatterns(PageRequest):
    """Filters of patterns."""

    zone_id: RecordId | None = None
    """Filter by zone."""


class UpdateBookingWindow(Request):
    """Changes to a window. Omitted fields stay as they are."""

    window_id: BookingWindowId
    """ID of the window."""
    capacity: Capacity | None = None
    """Maximum number of orders, at least the number already taken."""
    cut_off_min: CutOff | None = None
    """Booking cut-off in minutes before the window begins."""
    closed: bool | None = None
    """If true, the window is closed to new bookings. Existing bookings stay."""


class CloseBookingDay(Request):
    """Day whose windows are closed or reopened."""

    day: BookingDay
    """Day of the windows."""
    zone_id: RecordId | None = None
    """Zone of the windows. Defaults to all zones."""
    closed: bool = True
    """If true, close the windows; if false, reopen them."""


class BookingDayRange(PageRequest):
    """Range of days."""

    date_from: BookingDay | None = None
    """First day of the range. Defaults to today."""
    date_to: BookingDay | None = None
    """Last day of the range, at most 62 days long. Defaults to two weeks after the first day."""


class ListBookingWindows(BookingDayRange):
    """Filters of windows."""

    zone_id: RecordId | None = None
    """Filter by zone."""


class FindBookableWindows(BookingDayRange):
    """Days and location of bookable windows. Exactly one location field is required."""

    postal_code: PostalCode | None = None
    """Postal code of the delivery address."""
    zone_id: RecordId | None = None
    """Place for visits."""
    kind: BookingKind | None = None
    """Kind of places for visits."""


class HoldBookingWindow(Request):
    """Window in which a place is held."""

    window_id: BookingWindowId
    """ID of the window."""
    postal_code: PostalCode | None = None
    """Postal code of the delivery address, which must be in the window's zone. Not used for visits."""
    minutes: int = Field(default=HOLD_MIN, ge=1, le=HOLD_MAX)
    """Duration of the hold in minutes."""
    customer_id: RecordId | None = None
    """Customer who gets the place. Customers always hold places for themselves."""


class ReservationRef(Request):
    """Reference to a reservation."""

    reservation_id: RecordId
    """ID of the reservation."""


class ConfirmReservation(ReservationRef):
    """Held place to confirm and its order."""

    order_id: RecordId | None = None
    """Order to deliver in this window. It must not be in transit or on a route. Optional for visits."""


class RescheduleReservation(ReservationRef):
    """Reservation to move and its new window."""

    window_id: BookingWindowId
    """New window in the same zone."""


class CancelReservation(ReservationRef):
    """Reservation to cancel."""

    reason: Reason | None = None
    """Reason for the cancellation."""


class ListReservations(PageRequest):
    """Filters of reservations. Customers see their own."""

    window_id: BookingWindowId | None = None
    """Filter by window."""
    order_id: RecordId | None = None
    """Filter by order."""
    status: ReservationStatus | None = None
    """Filter by status."""
    no_show_fee: Annotated[NoShowFee | None, ComparesPrice(LOCAL)] = None
    """Filter by no-show fee: due, paid or waived."""


class BookingZone(Priced):
    """Delivery zone, or place for visits."""

    id: int
    name: str
    postal_prefixes: list[str]
    kind: BookingKind
    address: str | None
    check_in_before_min: int
    grace_min: int
    no_show_refund: bool
    offer_min: int
    no_show_fee_minor: Annotated[int | UnsetType, price(LOCAL, "Fee of a missed visit, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET


class BookingZoneAnswer(Answer):
    """Single zone."""

    result: bool = True
    zone: BookingZone


class BookingZones(PagedAnswer):
    """Page of zones, by name."""

    zones: list[BookingZone]


class BookingPattern(Priced):
    """Windows that repeat every week."""

    id: int
    zone_id: int
    weekdays: list[int]
    starts: Annotated[str, doc("Start time in the business's time zone.", "10:00")]
    ends: str
    capacity: int
    cut_off_min: int
    first_day: date
    last_day: date | None
    made_until: Annotated[date | None, doc("Last day up to which windows have been created.")]
    price_minor: Annotated[int | UnsetType, price(LOCAL, "Price of the window, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET


class BookingPatternAnswer(Answer):
    """Pattern and the number of windows created now."""

    result: bool = True
    pattern: BookingPattern
    windows_made: int


class BookingPatterns(PagedAnswer):
    """Page of patterns, newest first."""

    patterns: list[BookingPattern]


class BookableWindow(Priced):
    """Bookable window."""

    id: int
    zone_id: int
    kind: BookingKind
    zone_name: str
    address: str | None
    day: date
    starts_at: datetime
    ends_at: datetime
    cut_off_at: Annotated[datetime, doc("Time until which the window can be booked.")]
    left: Annotated[int, doc("Number of places left. Freed places go to the waiting list first.")]
    waiting: Annotated[int, doc("Number of waiting list entries.")]
    price_minor: Annotated[int | UnsetType, price(LOCAL, "Price in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET


class BookableWindows(PagedAnswer):
    """Page of bookable windows, soonest first."""

    windows: list[BookableWindow]


class BookingWindowDetail(BookableWindow):
    """Window as staff see it."""

    capacity: int
    taken: Annotated[int, doc("Number of places taken: confirmed, or held and not expired.")]
    closed: bool
    pattern_id: int | None


class BookingWindowAnswer(Answer):
    """Single window."""

    result: bool = True
    window: BookingWindowDetail


class BookingWindows(PagedAnswer):
    """Page of windows, soonest first."""

    windows: list[BookingWindowDetail]


class BookingDayResult(Answer):
    """Number of windows that were closed or reopened."""

    result: bool = True
    changed: int


class Reservation(Priced):
    """Reservation of a place in a window."""

    id: int
    status: ReservationStatus
    window_id: BookingWindowId
    day: date
    starts_at: datetime
    ends_at: datetime
    kind: BookingKind
    zone_name: str
    address: str | None
    postal_code: str
    customer_id: int | None
    order_id: int | None
    code: Annotated[str | None, doc("Code for checking in. Only visits have one.", "7K3F9Q")]
    check_in_from: Annotated[datetime | None, doc("Time at which check-in opens.")]
    check_in_until: Annotated[datetime | None, doc("Time at which the visit counts as missed.")]
    checked_in_at: datetime | None
    held_at: datetime
    expires_at: Annotated[datetime, doc("Time by which a hold must be confirmed.")]
    confirmed_at: datetime | None
    ended_at: datetime | None
    reason: str | None
    price_minor: Annotated[int | UnsetType, price(LOCAL, "Price in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LOCAL, "ISO 4217.")] = UNSET
    no_show_fee_minor: Annotated[int | UnsetType, price(LOCAL, "Fee of a missed visit, in minor units.")] = UNSET
    no_show_fee_paid: Annotated[bool | UnsetType, price(LOCAL, "True if the fee of a missed visit was paid.")] = UNSET
    no_show_fee_status: Annotated[NoShowFee | UnsetType, price(LOCAL, "Status of the fee of a missed visit.")] = UNSET
    fee_waiver_reason: Annotated[str | None, doc("Reason for waiving the fee.")]


class ReservationAnswer(Answer):
    """Single reservation."""

    result: bool = True
    reservation: Reservation


class ReservationList(PagedAnswer):
    """Page of reservations, newest first."""

    reservations: list[Reservation]


class WaiveNoShowFee(ReservationRef):
    """No-show fee to waive."""

    reason: Reason = Field(min_length=1, examples=["The road was closed."])
    """Reason for waiving the fee. Visible to the customer."""


VisitCode = Annotated[str, Field(min_length=6, max_length=6, examples=["7K3F9Q"])]


class CheckInByCode(Request):
    """Code of the visitor."""

    code: VisitCode
    """Code of the reservation. Case is ignored."""


class JoinWaitingList(Request):
    """Full window and the customer who waits for a place."""

    window_id: BookingWindowId
    """ID of the window."""
    postal_code: PostalCode | None = None
    """Postal code of the delivery address, which must be in the window's zone. Not used for visits."""
    customer_id: RecordId | None = None
    """Customer who waits. Customers always wait for themselves."""


class WaitingEntryRef(Request):
    """Reference to a waiting list entry."""

    waiting_entry_id: RecordId
    """ID of the waiting list entry."""


class ListWaitingEntries(PageRequest):
    """Filters of waiting list entries. Customers see their own."""

    window_id: BookingWindowId | None = None
    """Filter by window."""
    customer_id: RecordId | None = None
    """Filter by customer. Customers always see only their own."""
    status: WaitingStatus | None = None
    """Filter by status."""


class WaitingEntry(Answer):
    """Waiting list entry, possibly with an offered place."""

    id: int
    status: WaitingStatus
    position: Annotated[int | None, doc("Position in the queue from 1. Null if the entry no longer waits.")]
    window_id: BookingWindowId
    day: date
    starts_at: datetime
    ends_at: datetime
    kind: BookingKind
    zone_name: str
    postal_code: str
    customer_id: int
    joined_at: datetime
    reservation_id: Annotated[int | None, doc("Offered place. Confirm or cancel this reservation.")]
    offered_until: Annotated[datetime | None, doc("Time by which the offered place must be confirmed.")]
    ended_at: datetime | None


class WaitingEntryAnswer(Answer):
    """Single waiting list entry."""

    result: bool = True
    waiting_entry: WaitingEntry


class WaitingEntryList(PagedAnswer):
    """Page of waiting list entries, oldest first."""

    waiting_entries: list[WaitingEntry]
