"""OGC SensorThings 1.1: every event is an observation of the parcel's status.

The parcel is the thing, whoever reported the event is the sensor, the status vocabulary is the observed property. The
document is what a server answers to `Observations?$expand=Datastream($expand=Thing,Sensor,ObservedProperty),
FeatureOfInterest`, so that it can be read without following a link. Results are OTEP codes: nothing is mapped.
"""

from haulier.contexts.tracking.otep.model import Event, Location, Source, Timeline
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.moments import in_order, stamp
from haulier.contexts.tracking.otep.projections.naming import number, place, point, segment
from haulier.contexts.tracking.otep.vocabulary import address, phase_address

_CATEGORY = "http://www.opengis.net/def/observationType/OGC-OM/2.0/OM_CategoryObservation"
_NO_UNIT = {"name": None, "symbol": None, "definition": None}
_GEO_JSON = "application/geo+json"


def project(timeline: Timeline, base_url: str) -> Document:
    """The observations of one status stream per source, oldest first."""
    root = f"{base_url}/sensorthings/v1.1"
    events = in_order(timeline)
    subject = number(timeline.subject)
    streams: dict[Source, Document] = {}
    seen: Document | None = None
    observations: list[Document] = []
    for event in events:
        source = event.source
        key = Source(type=source.type, name=source.name)
        stream = streams.get(key)
        if stream is None:
            stream = streams[key] = _datastream(key, subject, timeline.profile, root, base_url)
        if event.location and (here := _feature(event.location, event.event_id, root)):
            seen = here
        observations.append(_observation(event, timeline.profile, stream, seen or _unplaced(subject, root), root))
    return {"@iot.count": len(observations), "value": observations}


def _entity(kind: str, id: str, root: str) -> Document:
    return {"@iot.id": id, "@iot.selfLink": f"{root}/{kind}('{segment(id)}')"}


def _observation(event: Event, profile: str, stream: Document, feature: Document, root: str) -> Document:
    parameters: Document = {
        "phase": phase_address(event.phase),
        "event_id": event.event_id,
    }
    if reason := event.incident_reason:
        parameters["incident_reason"] = reason.code
        if reason.note:
            parameters["incident_note"] = reason.note
    return {
        "@iot.id": event.event_id,
        "@iot.selfLink": f"{root}/Observations('{segment(event.event_id)}')",
        "phenomenonTime": stamp(event.occurred_at),
        "resultTime": stamp(event.recorded_at) if event.recorded_at else None,
        "result": address(event.status_code, profile),
        "parameters": parameters,
        "Datastream": stream,
        "FeatureOfInterest": feature,
    }


def _datastream(source: Source, subject: str, profile: str, root: str, base_url: str) -> Document:
    who = source.name or source.type
    vocabulary = f"{base_url}/api/v1/otep/codebook"
    return _entity("Datastreams", f"{subject}:{source.type}:{who}", root) | {
        "name": f"Status of {subject} by {who}",
        "description": "OTEP status codes",
        "unitOfMeasurement": _NO_UNIT,
        "observationType": _CATEGORY,
        "Thing": _entity("Things", subject, root)
        | {"name": subject, "description": f"Parcel {subject}", "properties": {"profile": profile}},
        "Sensor": _entity("Sensors", f"{source.type}:{who}", root)
        | {"name": who, "description": source.type, "encodingType": "text/html", "metadata": vocabulary},
        "ObservedProperty": _entity("ObservedProperties", "otep:status", root)
        | {"name": "OTEP status", "definition": vocabulary, "description": "Where a parcel is on its journey"},
    }


def _feature(location: Location, event_id: str, root: str) -> Document | None:
    at = point(location)
    name = place(location)
    if not at and not name:
        return None
    return _entity("FeaturesOfInterest", event_id, root) | {
        "name": name or "Scan",
        "description": name or "Place of the scan",
        "encodingType": _GEO_JSON,
        "feature": {"type": "Point", "coordinates": [at[1], at[0]]} if at else _NOWHERE,
    }


_NOWHERE = {"type": "GeometryCollection", "geometries": []}
"""GeoJSON for a place whose coordinates nobody told."""


def _unplaced(subject: str, root: str) -> Document:
    return _entity("FeaturesOfInterest", subject, root) | {
        "name": subject,
        "description": f"Parcel {subject}",
        "encodingType": _GEO_JSON,
        "feature": _NOWHERE,
    }
