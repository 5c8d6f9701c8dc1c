"""Request and response models of freight claims."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.freight.claims.rules import FreightClaimKind, FreightClaimState
from haulier.contexts.freight.shipments.contract import LTL, VALUE_MAX_MINOR, FreightShipmentRef
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Note, RecordId
from haulier.kernel.operations.ids import FileId, LedgerTransferId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

ClaimAmount = Annotated[int, Field(ge=1, le=VALUE_MAX_MINOR, examples=[48_000])]


class FileFreightClaim(FreightShipmentRef):
    """A freight claim to file."""

    kind: FreightClaimKind
    """Kind of claim. Loss does not require a delivery."""
    claimed_minor: ClaimAmount
    """Claimed amount in minor units of the business's currency."""
    note: Note = Field(min_length=3, examples=["One of three pallets is missing: 24 bicycle frames."])
    """Description of the loss or damage."""
    document: FileUpload | None = None
    """Supporting document, such as the commercial invoice, a photo or an inspection report."""


class FreightClaimRef(Request):
    """Reference to a freight claim."""

    freight_claim_id: RecordId
    """ID of the freight claim."""


class DecideFreightClaim(FreightClaimRef):
    """Decision on a freight claim."""

    decision: Literal["approve", "reject"]
    """Decision. An approved amount is credited to the customer at once."""
    amount_minor: ClaimAmount | None = None
    """Approved amount in minor units. Default: the claimed amount."""
    reason: Note = Field(min_length=3, examples=["The delivery receipt notes the shortage."])
    """Reason for the decision. Visible to the customer."""


class ListFreightClaims(PageRequest):
    """Filters for freight claims. Customers see their own."""

    state: FreightClaimState | None = None
    """Filter by state."""
    freight_shipment_id: RecordId | None = None
    """Filter by freight shipment."""
    customer_id: RecordId | None = None
    """Filter by customer."""


class FreightClaim(Priced):
    """Claim on a freight shipment."""

    id: int
    freight_shipment_id: int
    customer_id: int | None
    kind: FreightClaimKind
    state: FreightClaimState
    concealed: Annotated[bool, doc("True for shortage or damage that the delivery receipt does not note.")]
    note: str
    document_id: Annotated[FileId | None, doc("Supporting document. Open it with `get_file`.")]
    claimed_minor: Annotated[int | UnsetType, price(LTL, "Claimed amount in minor units.")] = UNSET
    approved_minor: Annotated[int | UnsetType | None, price(LTL, "Approved amount in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(LTL, "ISO 4217.")] = UNSET
    transfer_id: Annotated[LedgerTransferId | None, doc("Ledger transfer of the credit.")]
    file_until: Annotated[date, doc("Last day on which such a claim was possible.")]
    decide_until: Annotated[date, doc("Day by which the claim must be decided.")]
    reason: Annotated[str | None, doc("Reason for the decision.")]
    created_at: datetime
    decided_at: datetime | None


class FreightClaimAnswer(Answer):
    """One freight claim."""

    result: bool = True
    freight_claim: FreightClaim


class FreightClaimList(PagedAnswer):
    """A page of freight claims, newest first."""

    freight_claims: list[FreightClaim]
