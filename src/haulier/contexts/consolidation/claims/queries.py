"""Claims on inbound parcels, for other families."""

from haulier.contexts.consolidation.claims.store import InboundClaimRow

__all__ = ["InboundClaimRow"]
