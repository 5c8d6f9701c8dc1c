"""What providers tell of a label, in the events that they push."""

from haulier.contexts.consolidation.inbound_parcels.contract import TEXT_MAX
from haulier.contexts.otep.public import TrackingEvent

LABEL_EXTENSION = "consignee"
"""The member of an event's `extensions` in which a provider tells whom a parcel is for, as its label says."""


def label_text_of(event: TrackingEvent) -> str | None:
    """What an event tells of whom a parcel is for; None where it tells nothing that can be read."""
    told = (event.extensions or {}).get(LABEL_EXTENSION)
    return told.replace("\0", "")[:TEXT_MAX] or None if isinstance(told, str) else None
