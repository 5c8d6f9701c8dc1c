"""EPCIS documents: events under an `eventList`, the answer to a query, or one event alone."""

from collections.abc import Iterator
from typing import Any

from haulier.contexts.otep.public import Source
from haulier.contexts.tracking.ingest.rules.epcis_event_shape import EPCIS_EVENT_TYPES
from haulier.contexts.tracking.ingest.rules.epcis_events import parse_epcis_event
from haulier.contexts.tracking.ingest.rules.epcis_json_ld import JsonLdTerms, read_terms
from haulier.contexts.tracking.ingest.rules.parsed import (
    ParsedDocument,
    ParsedEvent,
    empty_document,
    require_event_limit,
)
from haulier.kernel.operations.errors import declare_error

NOT_EPCIS = declare_error("ingest_not_epcis", 422, fields=("$",))
NO_EVENTS = declare_error("ingest_no_events", 422, fields=("$",))

DOCUMENTS = ("EPCISDocument", "EPCISQueryDocument")


def read_epcis(document: Any, source: Source) -> ParsedDocument:
    """The events of a document that comes from a source.

    Raises `NOT_EPCIS`, `NO_EVENTS` for a document that holds only master data, and `TOO_MANY_EVENTS`, which counts each
    subject of an event.
    """
    if not isinstance(document, dict):
        raise NOT_EPCIS(allowed=", ".join(DOCUMENTS))
    terms = read_terms(document.get("@context"))
    events = list(_listed_events(terms.plain(document)))
    require_event_limit(len(events))
    parsed = empty_document()
    for path, event in events:
        _read_event(parsed, path, event, terms, source)
    require_event_limit(len(parsed.events))
    return parsed


def _listed_events(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    kind = document.get("type")
    if isinstance(kind, str) and kind in EPCIS_EVENT_TYPES:
        yield "$", document
        return
    if kind not in DOCUMENTS:
        raise NOT_EPCIS(allowed=", ".join(DOCUMENTS))
    path, part = "$.epcisBody", document.get("epcisBody")
    if kind == "EPCISQueryDocument":
        path, part = f"{path}.queryResults.resultsBody", _member(_member(part, "queryResults"), "resultsBody")
    events = _member(part, "eventList")
    if not isinstance(events, list):
        raise NO_EVENTS(path=f"{path}.eventList")
    yield from ((f"{path}.eventList[{index}]", event) for index, event in enumerate(events))


def _member(part: Any, name: str) -> Any:
    return part.get(name) if isinstance(part, dict) else None


def _read_event(parsed: ParsedDocument, path: str, event: Any, terms: JsonLdTerms, source: Source) -> None:
    parsed.paths.append(path)
    plain = _event_terms(event, terms).plain(event) if isinstance(event, dict) else event
    for result in parse_epcis_event(plain, path, source):
        if isinstance(result, ParsedEvent):
            parsed.events.append(result)
        else:
            parsed.refused.setdefault(path, []).append(result)


def _event_terms(event: dict[str, Any], terms: JsonLdTerms) -> JsonLdTerms:
    """The document's terms, and those of the event's own context."""
    if "@context" not in event:
        return terms
    own = read_terms(event["@context"])
    return JsonLdTerms({**terms.aliases, **own.aliases}, tuple(dict.fromkeys((*terms.prefixes, *own.prefixes))))
