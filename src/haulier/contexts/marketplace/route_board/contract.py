"""Request and response models for the driver route board."""

from datetime import date, datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.marketplace.route_board.rules import BoardClosingReason, ClaimOutcome, ClaimStatus, PostingStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, Note, Reason, RecordId, Skills
from haulier.kernel.operations.ids import DriverId, RouteClaimId
from haulier.kernel.values.moments import Day, Moment
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

DRIVERS_MAX, ZONES_MAX, CLAIMS_MAX, STANDBY_MAX = 500, 50, 50, 100
BoardRecordIds = Annotated[list[RecordId], Field(max_length=DRIVERS_MAX)]
BoardDriverIds = Annotated[list[DriverId], Field(max_length=DRIVERS_MAX)]
BoardZones = Annotated[list[Name], Field(max_length=ZONES_MAX)]
ClaimsPerDay = Annotated[int, Field(ge=1, le=CLAIMS_MAX)]
StandbyLimit = Annotated[int, Field(ge=0, le=STANDBY_MAX)]


class BoardTerms(Request):
    """Terms for claiming a route."""

    opens_at: Moment | None = None
    """Time from which the route can be claimed. Defaults to now. Drivers see it before."""
    closes_at: Moment | None = None
    """Time until which the route can be claimed. Defaults to its start."""
    withdraw_until: Moment | None = None
    """Time until which a driver may return the route. Defaults to its start."""
    claims_per_day: ClaimsPerDay = 1
    """Maximum number of board routes per driver and day, including this one."""
    standby_max: StandbyLimit = 10
    """Maximum number of standby drivers."""
    driver_ids: BoardDriverIds = []
    """Drivers who can claim the route. If empty, all drivers."""
    skills: Skills | None = None
    """Required skills of drivers. Defaults to the current requirements of the route's orders."""
    own_drivers: bool = True
    """If true, the business's own drivers can claim the route. A contractor's route is for the contractor's drivers."""
    contractor_ids: BoardRecordIds = []
    """Contractors (user IDs) whose drivers can also claim the route."""
    zones: BoardZones = []
    """Zones of drivers who can claim the route, as set in their rules. If empty, all drivers."""
    note: Note | None = None
    """Note for drivers before they claim the route, such as the cost of a late withdrawal."""


class PostRoute(BoardTerms):
    """Route to post to the board."""

    route_id: RecordId
    """ID of a route without a driver that has not started."""


class BoardRouteRef(Request):
    """Reference to a route."""

    route_id: RecordId
    """ID of the route."""


class ClaimRoute(BoardRouteRef):
    """Route to claim."""

    stand_by: bool = False
    """If true, stand by for the route if another driver has it."""


class ListRouteBoard(PageRequest):
    """Filters of the board."""

    date_from: Day | None = None
    """Only routes of this day or later."""
    date_to: Day | None = None
    """Only routes of this day or earlier."""
    live: bool | None = None
    """If true, only routes on the board; if false, only routes that left it. Ignored for drivers."""


class ListRouteClaims(PageRequest):
    """Filters of claims."""

    route_id: RecordId | None = None
    """Filter by route."""
    driver_id: DriverId | None = None
    """Filter by driver. Ignored for drivers, who see only their own claims."""
    date_from: Day | None = None
    """Only claims of routes of this day or later."""
    date_to: Day | None = None
    """Only claims of routes of this day or earlier."""
    live: bool | None = None
    """If true, only active claims; if false, only ended claims."""


class ListBoardDriverRules(PageRequest):
    """Filters of driver rules."""

    blocked: bool = False
    """If true, only rules of drivers who are currently blocked."""


class SetBoardDriverRule(Request):
    """Rule for one driver. It replaces the existing rule."""

    driver_id: DriverId
    """ID of the driver."""
    blocked_until: Moment | None = None
    """Time until which the driver cannot claim routes."""
    block_reason: Reason | None = None
    """Reason for the block. Not visible to the driver."""
    claims_per_day: Annotated[int, Field(ge=0, le=CLAIMS_MAX)] | None = None
    """Maximum number of board routes per day. Defaults to the limit of each route."""
    zones: BoardZones = []
    """Zones of the driver. Routes in other zones are hidden from the driver."""


class PostingRules(Answer):
    """Drivers who can claim a route."""

    driver_ids: list[DriverId]
    skills: list[str]
    own_drivers: bool
    contractor_ids: list[int]
    zones: list[str]


class StandbyPlace(Answer):
    """Position of the calling driver in relation to a route."""

    claim_id: RouteClaimId
    status: ClaimStatus
    position: Annotated[int | None, doc("Position in the standby queue from 1. Null once the driver has the route.")]


class RouteBoardEntry(Answer):
    """Route on the board.

    Drivers see no addresses and no customer names before they have the route.
    """

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
    standing_by: Annotated[int, doc("Number of standby drivers.")]
    note: str | None
    mine: Annotated[StandbyPlace | None, doc("Position of the calling driver. Null for other callers.")]
    driver_id: Annotated[DriverId | UnsetType | None, doc("Driver of the route. Not visible to drivers.")] = UNSET
    driver_name: str | UnsetType | None = UNSET
    rules: Annotated[PostingRules | UnsetType, doc("Drivers who can claim the route. Not visible to drivers.")] = UNSET
    posted_at: datetime | UnsetType = UNSET
    closed_at: datetime | UnsetType | None = UNSET
    closing: Annotated[BoardClosingReason | UnsetType | None, doc("Reason why the route left the board.")] = UNSET


class RouteBoardEntryAnswer(Answer):
    """Single route on the board."""

    result: bool = True
    board_route: RouteBoardEntry


class RouteBoard(PagedAnswer):
    """A page of the board."""

    board_routes: list[RouteBoardEntry]


class RouteClaim(Answer):
    """Driver's claim to a route, or position in its standby queue."""

    id: int
    posting_id: int
    route_id: int
    day: date
    driver_id: DriverId
    driver_name: str
    status: ClaimStatus
    position: Annotated[int | None, doc("Position in the standby queue from 1.")]
    queued_at: Annotated[datetime, doc("Time of the claim.")]
    won_at: Annotated[datetime | None, doc("Time at which the driver got the route.")]
    promoted: Annotated[bool, doc("If true, the driver got the route because the previous driver returned it.")]
    ended_at: datetime | None
    ended_by: Annotated[int | None, doc("User who ended the claim.")]
    outcome: ClaimOutcome | None


class RouteClaims(PagedAnswer):
    """A page of claims, newest first."""

    claims: list[RouteClaim]


class BoardDriverRule(Answer):
    """Board rule for one driver."""

    driver_id: DriverId
    driver_name: str
    blocked_until: datetime | None
    block_reason: str | None
    claims_per_day: int | None
    zones: list[str]
    changed_at: datetime
    changed_by: int | None


class BoardDriverRuleAnswer(Answer):
    """Single driver rule."""

    result: bool = True
    rule: BoardDriverRule


class BoardDriverRules(PagedAnswer):
    """Page of driver rules, by name."""

    rules: list[BoardDriverRule]
