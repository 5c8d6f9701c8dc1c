"""The timeline in the protocol's own form."""

from msgspec import to_builtins

from haulier.contexts.otep.projections.contract import ProjectedDocument
from haulier.contexts.otep.timeline.contract import Timeline


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the native timeline, absent fields left out."""
    return to_builtins(timeline)
