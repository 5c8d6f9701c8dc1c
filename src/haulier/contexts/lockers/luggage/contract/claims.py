"""What goes in and out of claims."""

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
    """What somebody wants to be paid for."""

    kind: KindOfClaim
    tag: LuggageTag | None = None
    """The bag that is lost or damaged; none where all were late."""
    note: Note = Field(min_length=3, examples=["Two wheels are broken"])
    """What happened."""

    @model_validator(mode="after")
    def _of_a_bag(self) -> Self:
        if (self.kind == "late") != (self.tag is None):
            raise PydanticCustomError("claim_tag", "tag belongs to what is lost or damaged, and only to that")
        return self


class LuggageClaimRef(Request):
    """Which claim."""

    luggage_claim_id: RecordId


class SettleLuggageClaim(LuggageClaimRef):
    """What becomes of a claim."""

    outcome: Literal["accept", "refuse"]
    amount_minor: Annotated[int, Field(ge=1, le=LIABILITY_MAX, examples=[12000])] | None = None
    """What the customer gets, in minor units of the booking's currency; for what is accepted."""
    reason: Note = Field(min_length=3, examples=["Photo shows the damage"])
    """What the customer is told."""

    @model_validator(mode="after")
    def _has_an_amount(self) -> Self:
        if (self.outcome == "accept") != (self.amount_minor is not None):
            raise PydanticCustomError("claim_amount", "amount_minor belongs to what is accepted, and only to that")
        return self


class ListLuggageClaims(PageRequest):
    """Which claims; one must match all that is given."""

    status: StatusOfClaim | None = None
    kind: KindOfClaim | None = None
    luggage_id: RecordId | None = None
    customer_id: RecordId | None = None
    """Customers get their own in any case."""


class LuggageClaim(Priced):
    """A claim."""

    id: int
    luggage_id: int
    customer_id: int
    kind: str
    tag: str | None
    status: Annotated[str, doc("open, accepted, refused or withdrawn.", "open")]
    note: str
    reason: Annotated[str | None, doc("Why it was decided so.")]
    refunded_amount: Annotated[int | UnsetType, price(FAMILY, "What of the price was given back for it.")] = UNSET
    compensation_amount: Annotated[int | UnsetType, price(FAMILY, "What was paid on top of that.")] = UNSET
    currency: Annotated[str | UnsetType, price(FAMILY, "ISO 4217.")] = UNSET
    created_at: datetime
    ended_at: datetime | None


class FiledLuggageClaim(Answer):
    """A claim that nobody has decided yet."""

    id: int
    luggage_id: int
    customer_id: int
    kind: str
    tag: str | None
    status: str
    note: str
    created_at: datetime


class FiledLuggageClaimAnswer(Answer):
    """The claim that was filed."""

    result: bool = True
    claim: FiledLuggageClaim


class LuggageClaimAnswer(Answer):
    """One claim."""

    result: bool = True
    claim: LuggageClaim


class LuggageClaimList(PagedAnswer):
    """A page of claims, newest first."""

    claims: list[LuggageClaim]
