"""Inbound parcels as answers show them."""

from haulier.contexts.consolidation.inbound_parcels.contract import InboundParcel
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.kernel.operations.records import record


def inbound_parcel(row: InboundParcelRow) -> InboundParcel:
    """A parcel as its customer and the office see it."""
    return record(InboundParcel, row)
