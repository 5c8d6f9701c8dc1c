"""Claims on inbound parcels, for other families."""

from haulier.contexts.consolidation.claims.store import InboundClaimRow as InboundClaimRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def require_claim(call: Call, claim_id: int) -> InboundClaimRow:
    """Return a claim. Raise `NOT_FOUND`."""
    row = await InboundClaimRow.get(call.work, claim_id)
    if row is None:
        raise record_not_found(claim_id=claim_id)
    return row
