"""Timeline format with one line per event."""

from haulier.contexts.otep.projections.contract import ProjectedDocument, ProjectionFormat
from haulier.contexts.otep.timeline.contract import Timeline


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the events in the order of the timeline."""
    return {"lines": [f"{event.occurred_at:%Y-%m-%d %H:%M} {event.status_code}" for event in timeline.events]}


FORMAT = ProjectionFormat(
    name="lines",
    title="A line for each event",
    source="this example",
    media_type="application/json",
    profiles=("otep:format:lines",),
    project=project,
)
