"""What goes in and out of the driver route board."""

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.marketplace.route_board.rules import BoardClosingReason, ClaimOutcome, ClaimStatus, PostingStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, Note, Reason, RecordId, Skills
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

DRIVERS_MAX, ZONES_MAX, CLAIMS_MAX, STANDBY_MAX = 500, 50, 50, 100
BoardRecordIds = Annotated[list[RecordId], Field(max_length=DRIVERS_MAX)]
BoardDriverIds = Annotated[list[DriverId], Field(max_length=DRIVERS_MAX)]
BoardZones = Annotated[list[Name], Field(max_length=ZONES_MAX)]
ClaimsPerDay = Annotated[int, Field(ge=1, le=CLAIMS_MAX)]
StandbyLimit = Annotated[int, Field(ge=0, le=STANDBY_MAX)]


class BoardTerms(Request):
    """Who may take a route, and when."""

    opens_at: Moment | None = None
    """From when on it can be claimed; at once when left out. Drivers see it before."""
    closes_at: Moment | None = None
    """Until when it can be claimed; until it starts when left out."""
    withdraw_until: Moment | None = None
    """Until when a driver may give it back; until it starts when left out."""
    claims_per_day: ClaimsPerDay = 1
    """How many routes of its day a driver may have from the board to take this one, this one included."""
    standby_max: StandbyLimit = 10
    """How many drivers may stand by for it."""
    driver_ids: BoardDriverIds = []
    """Only for these drivers; for all when empty."""
    skills: Skills | None = None
    """Only for drivers with all these skills; what its orders ask for now when left out."""
    own_drivers: bool = True
    """Whether it is for the client's own drivers. A contractor's route is for the contractor's."""
    contractor_ids: BoardRecordIds = []
    """Also for drivers of these contractors (user ids)."""
    zones: BoardZones = []
    """Only for drivers with one of these zones in their own rule; for all when empty."""
    note: Note | None = None
    """What drivers should know before they claim it, such as what a late withdrawal costs them."""


class PostRoute(BoardTerms):
    """A route for the board."""

    route_id: RecordId
    """The route: without a driver, and not started."""


class BoardRouteRef(Request):
    """Which route."""

    route_id: RecordId
    """The route's id."""


class ClaimRoute(BoardRouteRef):
    """A route to take."""

    stand_by: bool = False
    """Whether to stand by for it when somebody else was first, instead of being refused."""


class ListRouteBoard(PageRequest):
    """What to show of the board."""

    date_from: Day | None = None
    """Only routes of this day or later."""
    date_to: Day | None = None
    """Only routes of this day or earlier."""
    live: bool | None = None
    """Only what is on the board, or only what has left it. Ignored for drivers, who see what is on it."""


class ListRouteClaims(PageRequest):
    """Which claims to list."""

    route_id: RecordId | None = None
    """Only claims of this route."""
    driver_id: DriverId | None = None
    """Only claims of this driver. Ignored for drivers, who see only their own."""
    date_from: Day | None = None
    """Only of routes of this day or later."""
    date_to: Day | None = None
    """Only of routes of this day or earlier."""
    live: bool | None = None
    """Only claims that hold, or only those that ended."""


class ListBoardDriverRules(PageRequest):
    """Which rules to list."""

    blocked: bool = False
    """Only those of drivers who are blocked now."""


class SetBoardDriverRule(Request):
    """The rule for one driver. It takes the place of the one there is."""

    driver_id: DriverId
    """The driver's id."""
    blocked_until: Moment | None = None
    """Until when they can claim nothing."""
    block_reason: Reason | None = None
    """Why; the driver does not see it."""
    claims_per_day: Annotated[int, Field(ge=0, le=CLAIMS_MAX)] | None = None
    """How many routes of a day they may have from the board; what each route says when left out."""
    zones: BoardZones = []
    """Where they drive. Routes for other zones do not exist for them."""


class PostingRules(Answer):
    """Which drivers a route is for."""

    driver_ids: list[DriverId]
    skills: list[str]
    own_drivers: bool
    contractor_ids: list[int]
    zones: list[str]


class StandbyPlace(Answer):
    """The position of the calling driver in relation to a route."""

    claim_id: int
    status: ClaimStatus
    position: Annotated[int | None, doc("Place in the line of those who stand by, from 1; null once it is theirs.")]


class RouteBoardEntry(Answer):
    """A route on the board. Before it is theirs, drivers see no address and no name of a customer."""

    posting_id: int
    route_id: int
    status: PostingStatus
    name: str | None
    day: date
    depot_id: int
    depot_name: str
    planned_start_at: datetime | None
    planned_end_at: datetime | None
    planned_distance_m: int | None
    stops_total: int
    opens_at: datetime
    closes_at: datetime | None
    withdraw_until: datetime | None
    claims_per_day: int
    standby_max: int
    standing_by: Annotated[int, doc("How many drivers stand by for it.")]
    note: str | None
    mine: Annotated[StandbyPlace | None, doc("Where the driver who asks stands; null for others.")]
    driver_id: Annotated[DriverId | UnsetType | None, doc("Who drives it; absent for drivers.")] = UNSET
    driver_name: str | UnsetType | None = UNSET
    rules: Annotated[PostingRules | UnsetType, doc("Which drivers it is for; absent for drivers.")] = UNSET
    posted_at: datetime | UnsetType = UNSET
    closed_at: datetime | UnsetType | None = UNSET
    closing: Annotated[BoardClosingReason | UnsetType | None, doc("Why it left the board.")] = UNSET


class RouteBoardEntryAnswer(Answer):
    """One route on the board."""

    result: bool = True
    board_route: RouteBoardEntry


class RouteBoard(PagedAnswer):
    """A page of the board."""

    board_routes: list[RouteBoardEntry]


class RouteClaim(Answer):
    """A driver's claim to a route, or their place in the line for it."""

    id: int
    posting_id: int
    route_id: int
    day: date
    driver_id: DriverId
    driver_name: str
    status: ClaimStatus
    position: Annotated[int | None, doc("Place in the line of those who stand by, from 1.")]
    queued_at: Annotated[datetime, doc("When they asked for it.")]
    won_at: Annotated[datetime | None, doc("When it became theirs.")]
    promoted: Annotated[bool, doc("Whether it became theirs because whoever had it before gave it back.")]
    ended_at: datetime | None
    ended_by: Annotated[int | None, doc("The user who ended it.")]
    outcome: ClaimOutcome | None


class RouteClaims(PagedAnswer):
    """A page of claims, newest first."""

    claims: list[RouteClaim]


class BoardDriverRule(Answer):
    """The rule for one driver."""

    driver_id: DriverId
    driver_name: str
    blocked_until: datetime | None
    block_reason: str | None
    claims_per_day: int | None
    zones: list[str]
    changed_at: datetime
    changed_by: int | None


class BoardDriverRuleAnswer(Answer):
    """One rule."""

    result: bool = True
    rule: BoardDriverRule


class BoardDriverRules(PagedAnswer):
    """A page of rules for single drivers, by name."""

    rules: list[BoardDriverRule]
