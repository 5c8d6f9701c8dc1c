"""Request and response models for luggage claims."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.luggage.contract.bookings import FAMILY, LuggageRef, LuggageTag
from haulier.contexts.lockers.luggage.contract.settings import LIABILITY_MAX
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Note, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

KindOfClaim = Literal["late", "lost", "damaged"]
StatusOfClaim = Literal["open", "accepted", "refused", "withdrawn"]


class FileLuggageClaim(LuggageRef):
    """A luggage claim to file."""

    kind: KindOfClaim
    tag: LuggageTag | None = None
    """Tag of the lost or damaged bag. Omit it if all bags were late."""
    note: Note = Field(min_length=3, examples=["Two wheels are broken"])
    """Description of the incident."""

    @model_validator(mode="after")
    def _of_a_bag(self) -> Self:
        if (self.kind == "late") != (self.tag is None):
            raise PydanticCustomError("claim_tag", "tag belongs to what is lost or damaged, and only to that")
        return self


class LuggageClaimRef(Request):
    """Reference to a luggage claim."""

    luggage_claim_id: RecordId


class SettleLuggageClaim(LuggageClaimRef):
    """Decision on a luggage claim."""

    outcome: Literal["accept", "refuse"]
    amount_minor: Annotated[int, Field(ge=1, le=LIABILITY_MAX, examples=[12000])] | None = None
    """Amount for the customer in minor units of the booking's currency. Only for accepted claims."""
    reason: Note = Field(min_length=3, examples=["Photo shows the damage"])
    """Reason shown to the customer."""

    @model_validator(mode="after")
    def _has_an_amount(self) -> Self:
        if (self.outcome == "accept") != (self.amount_minor is not None):
            raise PydanticCustomError("claim_amount", "amount_minor belongs to what is accepted, and only to that")
        return self


class ListLuggageClaims(PageRequest):
    """Filters for luggage claims. Claims must match all of them."""

    status: StatusOfClaim | None = None
    kind: KindOfClaim | None = None
    luggage_id: RecordId | None = None
    customer_id: RecordId | None = None
    """Filter by customer. Customers always see only their own."""


class LuggageClaim(Priced):
    """A luggage claim."""

    id: int
    luggage_id: int
    customer_id: int
    kind: str
    tag: str | None
    status: Annotated[str, doc("open, accepted, refused or withdrawn.", "open")]
    note: str
    reason: Annotated[str | None, doc("Reason for the decision.")]
    refunded_amount: Annotated[int | UnsetType, price(FAMILY, "Amount refunded from the price.")] = UNSET
    compensation_amount: Annotated[int | UnsetType, price(FAMILY, "Compensation paid in addition to the refund.")] = (
        UNSET
    )
    currency: Annotated[str | UnsetType, price(FAMILY, "ISO 4217 code of the currency.")] = UNSET
    created_at: datetime
    ended_at: datetime | None


class FiledLuggageClaim(Answer):
    """A luggage claim awaiting a decision."""

    id: int
    luggage_id: int
    customer_id: int
    kind: str
    tag: str | None
    status: str
    note: str
    created_at: datetime


class FiledLuggageClaimAnswer(Answer):
    """The filed claim."""

    result: bool = True
    claim: FiledLuggageClaim


class LuggageClaimAnswer(Answer):
    """A luggage claim."""

    result: bool = True
    claim: LuggageClaim


class LuggageClaimList(PagedAnswer):
    """A page of claims, newest first."""

    claims: list[LuggageClaim]
