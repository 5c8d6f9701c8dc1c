"""Inbound parcels as answers show them."""

from typing import Any

from msgspec import convert

from haulier.contexts.consolidation.claims.queries import InboundClaimRow
from haulier.contexts.consolidation.inbound_parcels.contract import InboundParcel
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.kernel.operations.records import record


def inbound_parcel(row: InboundParcelRow) -> InboundParcel:
    """Return a parcel as its customer and the office see it."""
    return record(InboundParcel, row)


def claimed_parcel(claim: InboundClaimRow) -> InboundParcel:
    """Return a claimed parcel with the claim's own data only.

    The rest is shown after approval.
    """
    told = ("tracking_number", "contents", "declared_value", "declared_currency", "note", "created_at")
    fields: dict[str, Any] = dict.fromkeys(InboundParcel.__struct_fields__)
    fields |= {name: getattr(claim, name) for name in told}
    return convert(fields | {"id": claim.parcel_id, "state": "awaiting_confirmation"}, InboundParcel)
