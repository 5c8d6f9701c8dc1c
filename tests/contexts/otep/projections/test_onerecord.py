"""ONE Record documents use declared terms on their classes, with declared types."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, Namespace, URIRef
from tests.contexts.otep.projections.timeline_factories import (
    CODES,
    make_timeline_with_incident,
    projected_json,
    timeline_of_codes,
    timelines,
)
from tests.support.every_case import for_every
from tests.support.shared import shared

from haulier.contexts.otep.projections.rules import OTEP_TERMS
from haulier.contexts.otep.timeline.contract import Timeline

CARGO = Namespace("https://onerecord.iata.org/ns/cargo#")
LISTS = "https://onerecord.iata.org/ns/code-lists/"
OURS = (str(CARGO), LISTS)


@cache
def ontology() -> Graph:
    graph = Graph()
    for name in ("IATA-1R-DM-Ontology.ttl", "IATA-1R-CL-Ontology.ttl"):
        graph.parse(shared(f"standards/onerecord/{name}"))
    return graph


def kinds_of(type: Any) -> set[Any]:
    return set(ontology().transitive_objects(type, RDFS.subClassOf))


@cache
def rules_of(type: URIRef) -> list[tuple[Any, Any, Any]]:
    """(property, restriction, value) of a class and of all above it."""
    found: list[tuple[Any, Any, Any]] = []
    for kind in kinds_of(type):
        if isinstance(kind, BNode):
            subject = ontology().value(kind, OWL.onProperty)
            words = (OWL.allValuesFrom, OWL.maxCardinality, OWL.minCardinality)
            found += [(subject, word, v) for word in words if (v := ontology().value(kind, word)) is not None]
    return found


def faults(document: dict[str, Any]) -> list[str]:
    graph = Graph().parse(data=json.dumps(document), format="json-ld")
    mentioned = {term for triple in graph for term in triple if isinstance(term, URIRef) and str(term).startswith(OURS)}
    undeclared = [f"undeclared {term}" for term in mentioned if (term, None, None) not in ontology()]
    return undeclared + [
        fault for node, type in graph.subject_objects(RDF.type) for fault in misfits(graph, node, type)
    ]


def misfits(graph: Graph, node: Any, type: Any) -> list[str]:
    found: list[str] = []
    rules = rules_of(type)
    if str(type).startswith(str(CARGO)):
        known = {subject for subject, _, _ in rules} | {RDF.type}
        # Own terms are ignored: ontologies are open to other namespaces, as the standard itself shows.
        theirs = {predicate for predicate in graph.predicates(node) if not str(predicate).startswith(OTEP_TERMS)}
        found += [f"{type} has no {predicate}" for predicate in theirs - known]
    for subject, word, wanted in rules:
        values = list(graph.objects(node, subject))
        if word == OWL.allValuesFrom:
            found += [f"{subject} is no {wanted}" for value in values if not fits(graph, value, wanted)]
        elif word == OWL.maxCardinality and len(values) > int(wanted):
            found.append(f"{subject} more than {wanted} times")
        elif word == OWL.minCardinality and len(values) < int(wanted):
            found.append(f"{subject} is missing")
    return found


def fits(graph: Graph, value: Any, wanted: Any) -> bool:
    if isinstance(value, Literal):
        string = str(wanted).endswith("#string") and value.datatype is None
        return string or (value.datatype == wanted and value.value is not None)
    types = set(graph.objects(value, RDF.type)) | set(ontology().objects(value, RDF.type))
    in_list = str(value).startswith(LISTS) and wanted == CARGO.CodeListElement
    return in_list or any(wanted in kinds_of(type) for type in types)


@for_every(("code", "phase", "profile"), CODES)
def test_every_code_gives_a_document_of_declared_terms(code: str, phase: str, profile: str) -> None:
    assert faults(projected_json("onerecord", make_timeline_with_incident(code, phase, profile))) == []


@given(timelines())
def test_any_timeline_gives_a_document_of_declared_terms(timeline: Timeline) -> None:
    assert faults(projected_json("onerecord", timeline)) == []


def test_the_official_example_passes_except_for_its_outdated_term() -> None:
    folder = shared("standards/onerecord/examples")
    listed = json.loads((folder / "LogisticsEvents_list.json").read_text())
    assert f"undeclared {CARGO}linkedObject" in faults(listed)
    single = json.loads((folder / "LogisticsEvent.json").read_text())
    assert [fault for fault in faults(single) if fault.startswith("undeclared")] == []


@pytest.mark.parametrize("term", ["cargo:linkedObject", "cargo:recordedAtLocation", "cargo:cityName"])
def test_a_term_of_another_version_or_class_is_detected(term: str) -> None:
    document = projected_json("onerecord", timeline_of_codes("delivered"))
    document["api:hasItem"][0][term] = "x"
    assert faults(document)


def test_an_event_without_a_subject_is_detected() -> None:
    document = projected_json("onerecord", timeline_of_codes("delivered"))
    del document["api:hasItem"][0]["cargo:eventFor"]
    assert [fault for fault in faults(document) if "eventFor" in fault]


def test_a_status_outside_the_code_list_uses_our_own_code() -> None:
    (event,) = projected_json("onerecord", timeline_of_codes("returned"))["api:hasItem"]
    assert event["cargo:eventCode"]["cargo:code"] == "otep:parcel:returned"
    (delivered,) = projected_json("onerecord", timeline_of_codes("delivered"))["api:hasItem"]
    assert delivered["cargo:eventCode"] == {"@id": f"{LISTS}StatusCode#DDL"}


def test_the_reason_is_part_of_the_event_name() -> None:
    items = projected_json("onerecord", make_timeline_with_incident("delivery_failed", "out_for_delivery"))[
        "api:hasItem"
    ]
    assert items[-1]["cargo:eventName"] == "delivery failed: recipient absent: Nobody answered"


def test_the_documented_names_accompany_the_official_ones() -> None:
    document = projected_json("onerecord", make_timeline_with_incident("delivery_failed", "out_for_delivery"))
    graph = Graph().parse(data=json.dumps(document), format="json-ld")
    node = URIRef(document["api:hasItem"][-1]["@id"])
    for promised, official in (("linkedObject", CARGO.eventFor), ("recordedAtLocation", CARGO.eventLocation)):
        ours, theirs = graph.value(node, URIRef(OTEP_TERMS + promised)), graph.value(node, official)
        assert ours is not None
        assert {row[0] for row in graph.predicate_objects(ours)} == {row[0] for row in graph.predicate_objects(theirs)}
    assert str(graph.value(node, URIRef(OTEP_TERMS + "eventRemark"))) == "recipient absent: Nobody answered"
    assert graph.value(node, CARGO.eventDate)
    assert graph.value(node, CARGO.eventCode)


def test_an_empty_collection_has_no_items() -> None:
    document = projected_json("onerecord", timeline_of_codes())
    assert document["api:hasTotalItems"] == 0
    assert "api:hasItem" not in document
