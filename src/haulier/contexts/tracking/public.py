"""What other contexts may ask of tracking: write down what happened, in the caller's own transaction."""

from haulier.contexts.tracking.otep.model import Actor, IncidentReason, Location, ProofOfDelivery, Source
from haulier.contexts.tracking.timelines.recording import Happening, link, record, set_viewers

__all__ = [
    "Actor",
    "Happening",
    "IncidentReason",
    "Location",
    "ProofOfDelivery",
    "Source",
    "link",
    "record",
    "set_viewers",
]
