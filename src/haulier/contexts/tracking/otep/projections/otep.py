"""The timeline in the protocol's own form."""

from msgspec import to_builtins

from haulier.contexts.tracking.otep.model import Timeline
from haulier.contexts.tracking.otep.projections.formats import Document


def project(timeline: Timeline, base_url: str) -> Document:
    """The native timeline, absent fields left out."""
    return to_builtins(timeline)
