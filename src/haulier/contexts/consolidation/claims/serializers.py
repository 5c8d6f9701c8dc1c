"""Claims on inbound parcels as answers show them."""

from haulier.contexts.consolidation.claims.contract import InboundClaim
from haulier.contexts.consolidation.claims.store import InboundClaimRow
from haulier.kernel.operations.records import record


def inbound_claim(row: InboundClaimRow) -> InboundClaim:
    """Return a claim as its customer and the office see it."""
    return record(InboundClaim, row)
