"""OGC SensorThings 1.1: every event is an observation of the parcel's status.

The parcel is the thing, the event's source is the sensor, the status vocabulary is the observed property. The document
corresponds to `Observations?$expand=Datastream($expand=Thing,Sensor,ObservedProperty), FeatureOfInterest`, without
links: it is complete, and no SensorThings server stands behind it. Ids are independent of the service's address.
Results are OTEP codes: nothing is mapped.
"""

from datetime import datetime
from functools import lru_cache
from typing import Any

from msgspec import UNSET, UnsetType, field

from haulier.contexts.otep.projections.contract import DocumentPart, ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    OTEP_TERMS,
    events_in_order,
    location_name,
    location_point,
    subject_number,
)
from haulier.contexts.otep.timeline.contract import Location, Timeline, TrackingEvent
from haulier.contexts.otep.vocabulary.rules import code_address

_CATEGORY = "http://www.opengis.net/def/observationType/OGC-OM/2.0/OM_CategoryObservation"
_NO_UNIT = {"name": None, "symbol": None, "definition": None}
_NOWHERE = {"type": "GeometryCollection", "geometries": []}
"""GeoJSON of a place without coordinates."""

_STATUS_PROPERTY = {
    "@iot.id": "otep",
    "name": "otep",
    "definition": f"{OTEP_TERMS}statusCode",
    "description": "Status code of the Open Tracking Event Protocol",
}

_address = lru_cache(maxsize=1024)(code_address)


class ObservationParameters(DocumentPart):
    """Further parameters of an observation."""

    phase: str
    event_id: str
    incident_reason: str | UnsetType = UNSET
    incident_note: str | UnsetType = UNSET


class FeatureOfInterest(DocumentPart, kw_only=True):
    """Where it was observed; `feature` is GeoJSON."""

    id: str = field(name="@iot.id")
    name: str
    description: str
    encoding_type: str = field(name="encodingType", default="application/geo+json")
    feature: Any


class Observation(DocumentPart):
    """One event."""

    id: str = field(name="@iot.id")
    phenomenon_time: datetime = field(name="phenomenonTime")
    result_time: datetime | None = field(name="resultTime")
    result: str
    parameters: ObservationParameters
    datastream: Any = field(name="Datastream")
    feature: FeatureOfInterest = field(name="FeatureOfInterest")


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the observations of one status stream per source, oldest first."""
    subject = subject_number(timeline.subject)
    feature = _feature_without_place(subject)
    observations: list[Observation] = []
    for event in events_in_order(timeline):
        source = event.source
        stream = _datastream(source.type, source.name or source.type, subject, timeline.profile, base_url)
        if event.location and (located := _feature(event.location, event.event_id)):
            feature = located
        observations.append(_observation(event, _address(event.status_code, timeline.profile), stream, feature))
    return {"@iot.count": len(observations), "value": observations}


def _observation(
    event: TrackingEvent, result: str, stream: ProjectedDocument, feature: FeatureOfInterest
) -> Observation:
    parameters = ObservationParameters(phase=event.phase, event_id=event.event_id)
    if reason := event.incident_reason:
        parameters.incident_reason = reason.code
        parameters.incident_note = reason.note
    return Observation(
        id=event.event_id,
        phenomenon_time=event.occurred_at,
        result_time=event.recorded_at or None,
        result=result,
        parameters=parameters,
        datastream=stream,
        feature=feature,
    )


@lru_cache(maxsize=256)
def _datastream(type: str, source: str, subject: str, profile: str, base_url: str) -> ProjectedDocument:
    return {
        "@iot.id": f"{subject}:{type}:{source}",
        "name": f"{subject}: {source}",
        "description": f"Status of {subject}, reported by {source}",
        "unitOfMeasurement": _NO_UNIT,
        "observationType": _CATEGORY,
        "Thing": {
            "@iot.id": subject,
            "name": subject,
            "description": f"otep:{profile}",
            "properties": {"profile": profile},
        },
        "Sensor": {
            "@iot.id": f"{type}:{source}",
            "name": source,
            "description": type,
            "encodingType": "application/json",
            "metadata": f"{base_url}/api/v1/otep/codebook",
        },
        "ObservedProperty": _STATUS_PROPERTY,
    }


def _feature(location: Location, event_id: str) -> FeatureOfInterest | None:
    name, geometry = _named_geometry(location)
    if not name:
        return None
    return FeatureOfInterest(id=event_id, name=name, description=name, feature=geometry)


@lru_cache(maxsize=1024)
def _named_geometry(location: Location) -> tuple[str, ProjectedDocument]:
    """Return the name and geometry of a place, cached because depots repeat."""
    point = location_point(location)
    if point is None:
        return location_name(location), _NOWHERE
    return location_name(location) or f"{point[0]}, {point[1]}", {"type": "Point", "coordinates": [point[1], point[0]]}


def _feature_without_place(subject: str) -> FeatureOfInterest:
    return FeatureOfInterest(id=subject, name=subject, description=subject, feature=_NOWHERE)
