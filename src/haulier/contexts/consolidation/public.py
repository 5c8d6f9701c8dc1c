"""Public interface of consolidation: parcels for ship-outs."""

from haulier.contexts.consolidation.inbound_parcels.actions import (
    add_to_ship_out,
    record_ship_out_departure,
    remove_from_shipout,
    require_parcels_for_ship_out,
)
from haulier.contexts.consolidation.inbound_parcels.queries import (
    InboundParcelRow,
    get_parcels_by_id,
    list_ship_out_parcels,
)
from haulier.contexts.consolidation.inbound_parcels.rules import INBOUND_STEP_REFUSED, InboundState

__all__ = [
    "INBOUND_STEP_REFUSED",
    "InboundParcelRow",
    "InboundState",
    "add_to_ship_out",
    "get_parcels_by_id",
    "list_ship_out_parcels",
    "record_ship_out_departure",
    "remove_from_shipout",
    "require_parcels_for_ship_out",
]
