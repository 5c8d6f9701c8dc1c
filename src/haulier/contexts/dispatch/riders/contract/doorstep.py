"""What goes in and out while a driver is on a route: the day, an answer to a route, scans, proof at the door."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.dispatch.fields import NO_NUL, Name, Note, Reason, RecordId
from haulier.contexts.dispatch.riders.fields import CODE_MAX, Photos, UploadName
from haulier.contexts.dispatch.riders.rules.policy import RiderPolicy
from haulier.contexts.dispatch.riders.rules.scans import ScanResult
from haulier.contexts.dispatch.routes.contract import AtStop, Code, OnTheRoad, ReasonCode, Route
from haulier.contexts.dispatch.stops.rules import Outcome
from haulier.kernel.answers import Answer, doc
from haulier.kernel.operation import Request


class AnswerRoute(OnTheRoad):
    """A driver's word on a route they were given."""

    reason: Reason | None = None
    """Why not, where the route is declined."""


class ScanCode(OnTheRoad):
    """A code that was scanned."""

    code: Annotated[str, Field(min_length=1, max_length=CODE_MAX, pattern=NO_NUL)]
    """A tracking number, of an order or a package, or an order reference."""
    stop_id: RecordId | None = None
    """The stop at which it was scanned; while loading, none."""


class HandOverAtDoor(AtStop):
    """How something changed hands, with what proves it."""

    recipient: Name | None = None
    """Who took it, or who handed it out."""
    signature: UploadName | None = None
    """The upload with the signature."""
    photos: Photos = []
    """The uploads with photos."""
    note: Note | None = None
    code: Code | None = None
    """What the recipient said or showed to prove who they are."""


class FailAtDoor(AtStop):
    """Why a stop was in vain."""

    reason: ReasonCode
    """A code of the client's return reasons, or a reason that tracking knows: recipient_absent, address_incorrect …"""
    outcome: Outcome | None = None
    """What comes next. Left out, it is what the client's list says, or another try."""
    photos: Photos = []
    note: Note | None = None


class SetPolicy(Request):
    """A client's rules for its drivers' app, all of them; what is left out is set to what holds by default."""

    photo_required: bool = False
    """A delivery needs a photo."""
    signature_required: bool = False
    """A delivery needs a signature."""
    recipient_required: bool = False
    """A delivery needs the name of who took it."""
    max_distance_m: int | None = Field(default=None, ge=20, le=100_000)
    """A delivery farther from the stop is refused, in metres. Without one it is only noted how far away it was."""
    position_every_s: int = Field(default=15, ge=1, le=3600)
    """At most one point is kept for each stretch of so many seconds."""
    positions_kept_days: int = Field(default=30, ge=1, le=400)
    """After so many days the points are deleted."""
    offer_seconds: int = Field(default=60, ge=10, le=3600)
    """How long an order offered on demand waits for an answer before others are asked."""
    offer_radius_m: int = Field(default=5_000, ge=100, le=100_000)
    """How far the first round reaches; the second reaches twice as far, and so on."""
    riders_per_round: int = Field(default=5, ge=1, le=50)
    """How many riders are asked at once; 1 asks one after the other."""
    rounds_max: int = Field(default=3, ge=1, le=20)
    """After so many rounds without a rider the offer ends."""


class PolicyAnswer(Answer):
    """The rules in force."""

    result: bool = True
    policy: RiderPolicy


class UploadAnswer(Answer):
    """A file that was taken in."""

    result: bool = True
    upload_id: str
    file_id: Annotated[int, doc("The file's id; a repeated upload names the first one's.")]
    duplicate: Annotated[bool, doc("Whether it was uploaded before.")]


class ScannedCode(Answer):
    """What a code turned out to be."""

    result: Annotated[bool, doc("Whether the parcel belongs here.")]
    scan: ScanResult
    order_id: Annotated[int | None, doc("The order, where it is on this route.")]
    stop_id: Annotated[int | None, doc("The order's next open stop on this route.")]
    message: Annotated[str, doc("The same in the caller's language.")]


class ScannedOrder(Answer):
    """An order of the route whose parcel was scanned."""

    order_id: int
    stop_id: Annotated[int | None, doc("The stop at which it was scanned; null for loading.")]


class RiderRoute(Answer):
    """A route as its driver's app shows it."""

    route: Route
    answer: Annotated[str | None, doc("What the driver said to it: accepted, or null for nothing yet.")]
    answered_at: datetime | None
    scanned: list[ScannedOrder]


class RiderRouteAnswer(Answer):
    """One route of the driver's."""

    result: bool = True
    route: RiderRoute


class RiderDay(Answer):
    """Everything that a driver's app needs on opening."""

    result: bool = True
    day: date
    driver_id: int
    driver_name: str
    available: Annotated[bool, doc("Whether orders on demand are offered to the driver.")]
    policy: RiderPolicy
    routes: list[RiderRoute]


class RouteDeclined(Answer):
    """A route that the driver will not drive."""

    result: bool = True
    route_id: int
    message: str
