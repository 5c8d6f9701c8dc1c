"""OGC SensorThings 1.1: every event is an observation of the parcel's status.

The parcel is the thing, whoever reported the event is the sensor, the status vocabulary is the observed property. The
document is what a server answers to `Observations?$expand=Datastream($expand=Thing,Sensor,ObservedProperty),
FeatureOfInterest`, so that it can be read without following a link. Results are OTEP codes: nothing is mapped.
"""

from datetime import datetime
from functools import lru_cache
from typing import Any

from msgspec import UNSET, UnsetType, field

from haulier.contexts.otep.projections.contract import DocumentPart, ProjectedDocument
from haulier.contexts.otep.projections.rules.event_times import events_in_order
from haulier.contexts.otep.projections.rules.identifiers import (
    location_name,
    location_point,
    subject_number,
    url_segment,
)
from haulier.contexts.otep.timeline.contract import Location, Timeline, TrackingEvent
from haulier.contexts.otep.vocabulary.rules import code_address

_CATEGORY = "http://www.opengis.net/def/observationType/OGC-OM/2.0/OM_CategoryObservation"
_NO_UNIT = {"name": None, "symbol": None, "definition": None}
_NOWHERE = {"type": "GeometryCollection", "geometries": []}
"""GeoJSON for a place whose coordinates nobody told."""

_address = lru_cache(maxsize=1024)(code_address)


class ObservationParameters(DocumentPart):
    """What else an observation says."""

    phase: str
    event_id: str
    incident_reason: str | UnsetType = UNSET
    incident_note: str | UnsetType = UNSET


class FeatureOfInterest(DocumentPart, kw_only=True):
    """Where it was observed; `feature` is GeoJSON."""

    id: str = field(name="@iot.id")
    link: str = field(name="@iot.selfLink")
    name: str
    description: str
    encoding_type: str = field(name="encodingType", default="application/geo+json")
    feature: Any


class Observation(DocumentPart):
    """One event."""

    id: str = field(name="@iot.id")
    link: str = field(name="@iot.selfLink")
    phenomenon_time: datetime = field(name="phenomenonTime")
    result_time: datetime | None = field(name="resultTime")
    result: str
    parameters: ObservationParameters
    datastream: Any = field(name="Datastream")
    feature: FeatureOfInterest = field(name="FeatureOfInterest")


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """The observations of one status stream per source, oldest first."""
    root = f"{base_url}/sensorthings/v1.1"
    subject = subject_number(timeline.subject)
    feature = _feature_without_place(subject, root)
    observations: list[Observation] = []
    for event in events_in_order(timeline):
        source = event.source
        stream = _datastream(source.type, source.name or source.type, subject, timeline.profile, base_url)
        if event.location and (located := _feature(event.location, event.event_id, root)):
            feature = located
        observations.append(_observation(event, _address(event.status_code, timeline.profile), stream, feature, root))
    return {"@iot.count": len(observations), "value": observations}


def _observation(
    event: TrackingEvent, result: str, stream: ProjectedDocument, feature: FeatureOfInterest, root: str
) -> Observation:
    parameters = ObservationParameters(phase=event.phase, event_id=event.event_id)
    if reason := event.incident_reason:
        parameters.incident_reason = reason.code
        parameters.incident_note = reason.note
    return Observation(
        id=event.event_id,
        link=f"{root}/Observations('{url_segment(event.event_id)}')",
        phenomenon_time=event.occurred_at,
        result_time=event.recorded_at or None,
        result=result,
        parameters=parameters,
        datastream=stream,
        feature=feature,
    )


def _entity(kind: str, id: str, root: str) -> ProjectedDocument:
    return {"@iot.id": id, "@iot.selfLink": f"{root}/{kind}('{url_segment(id)}')"}


@lru_cache(maxsize=256)
def _datastream(type: str, source: str, subject: str, profile: str, base_url: str) -> ProjectedDocument:
    root = f"{base_url}/sensorthings/v1.1"
    codebook = f"{base_url}/api/v1/otep/codebook"
    return _entity("Datastreams", f"{subject}:{type}:{source}", root) | {
        "name": f"{subject}: {source}",
        "description": codebook,
        "unitOfMeasurement": _NO_UNIT,
        "observationType": _CATEGORY,
        "Thing": _entity("Things", subject, root)
        | {"name": subject, "description": f"otep:{profile}", "properties": {"profile": profile}},
        "Sensor": _entity("Sensors", f"{type}:{source}", root)
        | {"name": source, "description": type, "encodingType": "text/html", "metadata": codebook},
        "ObservedProperty": _entity("ObservedProperties", "otep", root)
        | {"name": "otep", "definition": codebook, "description": codebook},
    }


def _feature(location: Location, event_id: str, root: str) -> FeatureOfInterest | None:
    name, geometry = _named_geometry(location)
    if not name:
        return None
    link = f"{root}/FeaturesOfInterest('{url_segment(event_id)}')"
    return FeatureOfInterest(id=event_id, link=link, name=name, description=name, feature=geometry)


@lru_cache(maxsize=1024)
def _named_geometry(location: Location) -> tuple[str, ProjectedDocument]:
    """What a place is called, and where it is. Depots come again and again."""
    point = location_point(location)
    if point is None:
        return location_name(location), _NOWHERE
    return location_name(location) or f"{point[0]}, {point[1]}", {"type": "Point", "coordinates": [point[1], point[0]]}


def _feature_without_place(subject: str, root: str) -> FeatureOfInterest:
    link = f"{root}/FeaturesOfInterest('{url_segment(subject)}')"
    return FeatureOfInterest(id=subject, link=link, name=subject, description=subject, feature=_NOWHERE)
