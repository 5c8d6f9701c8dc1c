"""What goes in and out of contractor rules and planning pools."""

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
    """Delivery, pickup, or from one person to another."""

    D = "D"
    P = "P"
    P2P = "P2P"


PostalPrefixes = Annotated[list[PostalPrefix], Field(max_length=500), DISTINCT_PREFIXES]
OrderTypes = Annotated[list[OrderType], Field(max_length=3)]
RuleSkills = Annotated[list[Skill], Field(max_length=50)]
MaxWeight = Annotated[int, Field(ge=0, le=WEIGHT_MAX_G)]
Weekdays = Annotated[list[Annotated[int, Field(ge=1, le=7)]], Field(max_length=7)]


class ListContractorRules(PageRequest):
    """Which rules to list."""

    contractor_id: RecordId | None = None
    """Only those of this contractor (user id); contractors see only their own."""


class ContractorRuleRef(Request):
    """Which rule."""

    rule_id: RecordId


class CreateContractorRule(Request):
    """What a contractor takes. An order is in their pool when one of their rules matches it."""

    contractor_id: RecordId
    """The contractor's user id."""
    name: Name
    """What people call the rule."""
    postal_prefixes: PostalPrefixes = []
    """Prefixes of postal codes; empty for everywhere. Case, spaces and hyphens do not count."""
    order_types: OrderTypes = []
    """Types of order; empty for all."""
    skills: RuleSkills = []
    """What the contractor can do: an order that needs another skill does not match."""
    max_weight_g: MaxWeight | None = None
    """The heaviest order in grams; null for no limit."""
    weekdays: Weekdays = []
    """Days of the week, 1 is Monday; empty for every day."""


class UpdateContractorRule(Request):
    """What to change; what is left out stays as it is. Null lifts the weight limit."""

    rule_id: RecordId
    name: Name | None = None
    postal_prefixes: PostalPrefixes | None = None
    order_types: OrderTypes | None = None
    skills: RuleSkills | None = None
    max_weight_g: MaxWeight | None = None
    weekdays: Weekdays | None = None
    active: bool | None = None
    """A rule that is not active matches nothing."""


class ContractorRuleDetail(Answer):
    """What a contractor takes."""

    id: int
    contractor_id: int
    name: str
    postal_prefixes: list[str]
    order_types: list[OrderType]
    skills: list[str]
    max_weight_g: Annotated[int | None, doc("The heaviest order in grams.")]
    weekdays: Annotated[list[int], doc("1 is Monday.")]
    active: bool


class ContractorRuleAnswer(Answer):
    """One rule."""

    result: bool = True
    rule: ContractorRuleDetail


class ContractorRuleList(PagedAnswer):
    """A page of rules, newest first."""

    rules: list[ContractorRuleDetail]


class GetPlanningPool(PageRequest):
    """The planner whose pool is listed, and filters."""

    contractor_id: RecordId | None = None
    """This contractor's pool (user id) instead of the office's; contractors see only their own."""
    date_from: Day | None = None
    """Only orders scheduled on this day or later, or on no day."""
    date_to: Day | None = None
    """Only orders scheduled on this day or earlier, or on no day."""


class PlannableOrder(Answer):
    """An order that may be put on a route."""

    order_id: int
    order_ref: str | None
    tracking_number: str
    type: OrderType
    status_id: int
    scheduled_date: date | None
    held: Annotated[bool, doc("Whether the contractor holds it; otherwise it is here by ordinary rules.")]
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

    contractor_id: Annotated[int | None, doc("Whose pool it is; null for the office's.")]
    complete: Annotated[bool, doc("False when more orders wait than were looked through: plan these first.")]
    orders: list[PlannableOrder]
