"""Request and response models for contractor rules and planning pools."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId, Skill
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.postal_codes import DISTINCT_PREFIXES, PostalPrefix

WEIGHT_MAX_G = 100_000_000


class OrderType(StrEnum):
    """Type of order: delivery, pickup or point to point."""

    D = "D"
    P = "P"
    P2P = "P2P"


PostalPrefixes = Annotated[list[PostalPrefix], Field(max_length=500), DISTINCT_PREFIXES]
OrderTypes = Annotated[list[OrderType], Field(max_length=3)]
RuleSkills = Annotated[list[Skill], Field(max_length=50)]
MaxWeight = Annotated[int, Field(ge=0, le=WEIGHT_MAX_G)]
Weekdays = Annotated[list[Annotated[int, Field(ge=1, le=7)]], Field(max_length=7)]


class ListContractorRules(PageRequest):
    """Filters and page of a rule list."""

    contractor_id: RecordId | None = None
    """Filter by contractor (user ID). Contractors see only their own rules."""


class ContractorRuleRef(Request):
    """Reference to a contractor rule."""

    rule_id: RecordId


class CreateContractorRule(Request):
    """A new contractor rule.

    An order is in the contractor's pool if one of their rules matches it.
    """

    contractor_id: RecordId
    """User ID of the contractor."""
    name: Name
    """Display name."""
    postal_prefixes: PostalPrefixes = []
    """Prefixes of postal codes. Empty: everywhere. Case, spaces and hyphens are ignored."""
    order_types: OrderTypes = []
    """Types of order. Empty: all types."""
    skills: RuleSkills = []
    """Skills of the contractor. Orders that require any other skill do not match."""
    max_weight_g: MaxWeight | None = None
    """Maximum weight of an order in grams; null if unlimited."""
    weekdays: Weekdays = []
    """Days of the week. 1 is Monday. Empty: every day."""


class UpdateContractorRule(Request):
    """Changes to a rule. Omitted fields are unchanged; null removes the weight limit."""

    rule_id: RecordId
    name: Name | None = None
    postal_prefixes: PostalPrefixes | None = None
    order_types: OrderTypes | None = None
    skills: RuleSkills | None = None
    max_weight_g: MaxWeight | None = None
    weekdays: Weekdays | None = None
    active: bool | None = None
    """If false, the rule matches no orders."""


class ContractorRuleDetail(Answer):
    """A contractor rule."""

    id: int
    contractor_id: int
    name: str
    postal_prefixes: list[str]
    order_types: list[OrderType]
    skills: list[str]
    max_weight_g: Annotated[int | None, doc("Maximum weight of an order in grams.")]
    weekdays: Annotated[list[int], doc("Days of the week. 1 is Monday.")]
    active: bool


class ContractorRuleAnswer(Answer):
    """A contractor rule."""

    result: bool = True
    rule: ContractorRuleDetail


class ContractorRuleList(PagedAnswer):
    """A page of rules, newest first."""

    rules: list[ContractorRuleDetail]


class GetPlanningPool(PageRequest):
    """Planner of the pool, and filters."""

    contractor_id: RecordId | None = None
    """Contractor (user ID) whose pool is listed. Default: the pool of staff. Contractors see only their own."""
    date_from: Day | None = None
    """Earliest scheduled day. Orders without a day are included."""
    date_to: Day | None = None
    """Latest scheduled day. Orders without a day are included."""


class PlannableOrder(Answer):
    """An order that can be planned."""

    order_id: int
    order_ref: str | None
    tracking_number: str
    type: OrderType
    status_id: int
    scheduled_date: date | None
    held: Annotated[bool, doc("True if the contractor holds the order; false if a rule matches it.")]
    address: str | None
    postal_code: str | None
    lat: float | None
    lng: float | None
    window_start: datetime | None
    window_end: datetime | None
    weight_g: int | None
    skills: list[str]


class PlanningPool(PagedAnswer):
    """A page of a planning pool, oldest order first."""

    contractor_id: Annotated[int | None, doc("Contractor of the pool; null for the pool of staff.")]
    complete: Annotated[bool, doc("False if more orders wait than were searched. Plan these first.")]
    orders: list[PlannableOrder]
