"""Public interface of tracking.

Contexts record events in the caller's own transaction. The protocol itself is `haulier.contexts.otep.public`.
"""

from haulier.contexts.otep.public import (
    INCIDENT_REASONS,
    EventActor,
    IncidentReason,
    Location,
    ProofOfDelivery,
    Source,
    TrackingEvent,
)
from haulier.contexts.tracking.ingest.actions import assign_carrier
from haulier.contexts.tracking.providers.actions import CreatedProviderKey, create_provider_key
from haulier.contexts.tracking.pushes.actions import UnreadableScan, carrier_scan_event, store_unreadable_scans
from haulier.contexts.tracking.timelines.actions import (
    ANNOUNCED_PHASE,
    NewEvent,
    begin_timelines,
    link_tracking_number,
    record_events,
    release_number,
    set_number_owner,
    set_replaced_by,
    set_tracking_viewers,
    void_events,
)
from haulier.contexts.tracking.timelines.queries import (
    OrderJourney,
    describe_delivery,
    find_timelines,
    list_number_owners,
    list_order_events,
    list_order_journeys,
    list_subject_owners,
    list_visible_timelines,
    status_describer,
)
from haulier.contexts.tracking.timelines.rules import make_number_key

__all__ = [
    "ANNOUNCED_PHASE",
    "INCIDENT_REASONS",
    "CreatedProviderKey",
    "EventActor",
    "IncidentReason",
    "Location",
    "NewEvent",
    "OrderJourney",
    "ProofOfDelivery",
    "Source",
    "TrackingEvent",
    "UnreadableScan",
    "assign_carrier",
    "begin_timelines",
    "carrier_scan_event",
    "create_provider_key",
    "describe_delivery",
    "find_timelines",
    "link_tracking_number",
    "list_number_owners",
    "list_order_events",
    "list_order_journeys",
    "list_subject_owners",
    "list_visible_timelines",
    "make_number_key",
    "record_events",
    "release_number",
    "set_number_owner",
    "set_replaced_by",
    "set_tracking_viewers",
    "status_describer",
    "store_unreadable_scans",
    "void_events",
]
