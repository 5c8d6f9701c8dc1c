"""Requests and answers for claims on inbound parcels."""

from datetime import datetime
from typing import Annotated, Literal

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.ids import InboundClaimId, InboundParcelId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

ClaimStateName = Literal["pending", "approved", "refused"]


class InboundClaimRef(Request):
    """A claim."""

    claim_id: InboundClaimId
    """ID of the claim."""


class ListInboundClaims(PageRequest):
    """Filters; a claim must match all that are given."""

    state: ClaimStateName | None = None
    """Filter by state."""
    parcel_id: InboundParcelId | None = None
    """Filter by inbound parcel."""


class InboundClaim(Answer):
    """A customer's claim on a parcel that arrived before it was announced."""

    id: int
    state: Annotated[str, doc("pending (waiting for confirmation by the office), approved, refused.", "pending")]
    parcel_id: Annotated[InboundParcelId, doc("The inbound parcel.")]
    customer_id: Annotated[int, doc("The customer who claims it.")]
    tracking_number: Annotated[str, doc("The number, as the customer entered it.")]
    contents: Annotated[str | None, doc("The contents, as the customer described them.")]
    declared_value: Annotated[int | None, doc("Declared value in minor units of `declared_currency`.")]
    declared_currency: Annotated[str | None, doc("ISO 4217.", "CAD")]
    note: Annotated[str | None, doc("The customer's note for the warehouse.")]
    created_at: datetime
    decided_at: Annotated[datetime | None, doc("Time of the decision.")]


class InboundClaimAnswer(Answer):
    """One claim."""

    result: bool = True
    claim: InboundClaim


class InboundClaimList(PagedAnswer):
    """A page of claims, newest first."""

    claims: list[InboundClaim]
