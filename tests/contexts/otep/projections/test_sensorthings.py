"""Fraunhofer's SensorThings client parses observations with mandatory properties."""

import json
from typing import Any

import pytest
from frost_sta_client.utils import transform_json_to_entity_list
from hypothesis import given
from tests.contexts.otep.projections.timeline_factories import (
    CODES,
    NOON,
    make_event,
    make_timeline,
    make_timeline_with_incident,
    projected_json,
    timeline_of_codes,
    timelines,
)
from tests.support.every_case import for_every

from haulier.contexts.otep.timeline.contract import Source, Timeline

MANDATORY = {
    "Thing": {"name": str, "description": str},
    "Sensor": {"name": str, "description": str, "encodingType": str, "metadata": str},
    "ObservedProperty": {"name": str, "definition": str, "description": str},
    "Datastream": {
        "name": str,
        "description": str,
        "unitOfMeasurement": dict,
        "observationType": str,
        "Thing": dict,
        "Sensor": dict,
        "ObservedProperty": dict,
    },
    "FeatureOfInterest": {"name": str, "description": str, "encodingType": str, "feature": dict},
    "Observation": {"phenomenonTime": str, "result": str, "Datastream": dict, "FeatureOfInterest": dict},
}
"""OGC 18-088, tables of section 8.2: what each entity must have, with the relations that are exactly one."""


def lacks(kind: str, entity: dict[str, Any]) -> list[str]:
    """Return the missing properties of an entity and of nested ones."""
    rows = MANDATORY[kind] | {"@iot.id": str}
    found = [f"{kind}.{name}" for name, type in rows.items() if not isinstance(entity.get(name), type)]
    found += [f"{kind}.{name} is empty" for name, type in rows.items() if type is str and entity.get(name) == ""]
    return found + [fault for name in MANDATORY.keys() & rows.keys() for fault in lacks(name, entity.get(name, {}))]


def prove(document: dict[str, Any]) -> Any:
    assert document["@iot.count"] == len(document["value"])
    for observation in document["value"]:
        assert lacks("Observation", observation) == []
        assert 'Link":' not in json.dumps(observation)
        assert "resultTime" in observation
        assert set(observation["Datastream"]["unitOfMeasurement"]) == {"name", "symbol", "definition"}
        assert observation["FeatureOfInterest"]["feature"]["type"] in {"Point", "GeometryCollection"}
    return transform_json_to_entity_list(document, "frost_sta_client.model.observation.Observation")


@for_every(("code", "phase", "profile"), CODES)
def test_every_code_is_the_result_of_an_observation(code: str, phase: str, profile: str) -> None:
    parsed = prove(projected_json("sensorthings", make_timeline_with_incident(code, phase, profile)))
    assert parsed.count == 3
    assert parsed.entities[-1].result.startswith("otep:")
    assert parsed.entities[-1].result.endswith(f":{code}")


@given(timelines())
def test_the_client_can_read_any_timeline(timeline: Timeline) -> None:
    prove(projected_json("sensorthings", timeline))


def test_the_client_refuses_an_invalid_time() -> None:
    document = projected_json("sensorthings", timeline_of_codes("delivered"))
    document["value"][0]["phenomenonTime"] = "noon"
    with pytest.raises(ValueError, match="iso"):
        prove(document)


@pytest.mark.parametrize("path", [("FeatureOfInterest", "encodingType"), ("Datastream", "observationType")])
def test_a_missing_mandatory_property_is_detected(path: tuple[str, str]) -> None:
    document = projected_json("sensorthings", timeline_of_codes("delivered"))
    del document["value"][0][path[0]][path[1]]
    with pytest.raises(AssertionError):
        prove(document)


def test_a_scan_without_a_place_uses_the_last_known_location() -> None:
    timeline = make_timeline(
        make_event("picked_up", "pickup", NOON), make_event("damaged", "transit", NOON.replace(hour=14), location=None)
    )
    first, second = projected_json("sensorthings", timeline)["value"]
    assert first["FeatureOfInterest"]["feature"] == {"type": "Point", "coordinates": [-79.383, 43.0]}
    assert second["FeatureOfInterest"] == first["FeatureOfInterest"]


def test_each_source_is_a_sensor_with_its_own_stream() -> None:
    ours, theirs = Source(type="self_delivery"), Source(type="carrier", name="Acme")
    timeline = make_timeline(make_event(source=ours), make_event(at=NOON.replace(hour=13), source=theirs))
    first, second = [o["Datastream"] for o in projected_json("sensorthings", timeline)["value"]]
    assert first["Sensor"]["name"] == "self_delivery"
    assert second["Sensor"]["name"] == "Acme"
    assert first["@iot.id"] != second["@iot.id"]
    assert first["Thing"] == second["Thing"]
