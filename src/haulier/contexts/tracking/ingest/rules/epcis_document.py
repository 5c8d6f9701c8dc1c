"""EPCIS documents: events under an `eventList`, the answer to a query, or one event alone."""

import re
from collections.abc import Iterator
from typing import Any

from haulier.contexts.otep.public import Source, parse_timestamp
from haulier.contexts.tracking.ingest.rules.epcis_event_shape import EPCIS_EVENT_TYPES, printable_value
from haulier.contexts.tracking.ingest.rules.epcis_events import EpcisEventReader
from haulier.contexts.tracking.ingest.rules.epcis_json_ld import JsonLdTerms, read_terms
from haulier.contexts.tracking.ingest.rules.epcis_subjects import is_uri
from haulier.contexts.tracking.ingest.rules.parsed import (
    ParsedDocument,
    ParsedEvent,
    empty_document,
    require_event_limit,
)
from haulier.kernel.operations.errors import FieldError, declare_error

NOT_EPCIS = declare_error("ingest_not_epcis", 422, fields=("$",))
NO_EVENTS = declare_error("ingest_no_events", 422, fields=("$",))

_VERSION = re.compile(r"\d+(\.\d+)*")
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
    reader = EpcisEventReader(source)
    for path, event in events:
        _read_event(parsed, path, event, terms, reader)
    require_event_limit(len(parsed.events))
    return parsed


def require_json_head(document: Any) -> None:
    """Raises `NOT_EPCIS` where something around the events of a JSON document is not as the standard's schema has it.

    The head of an XML document is checked by no one: its namespace says what it is.
    """
    if isinstance(document, dict) and document.get("type") in (*DOCUMENTS, *EPCIS_EVENT_TYPES):
        faults = list(_head_faults(document))
        if faults:
            raise NOT_EPCIS.for_fields(*faults, allowed=", ".join(DOCUMENTS))


def _head_faults(document: dict[str, Any]) -> Iterator[FieldError]:
    needed = ("@context", "schemaVersion", "creationDate") if document["type"] in DOCUMENTS else ("@context",)
    for name in needed:
        if name not in document:
            yield FieldError(
                f"$.{name}" if name.isalpha() else f"$['{name}']", "otep.validate.missing", {"field": name}
            )
    if "@context" in document and not _is_context(document["@context"]):
        yield FieldError("$['@context']", "otep.validate.wrong_type", {"expected": "array"})
    if document["type"] in DOCUMENTS:
        yield from _head_value_faults(document)


def _head_value_faults(document: dict[str, Any]) -> Iterator[FieldError]:
    version, created, id = (document.get(name) for name in ("schemaVersion", "creationDate", "id"))
    if "schemaVersion" in document and not (isinstance(version, str) and _VERSION.fullmatch(version)):
        yield FieldError("$.schemaVersion", "otep.validate.invalid_version", {"value": printable_value(version)})
    if "creationDate" in document and parse_timestamp(created) is None:
        yield FieldError("$.creationDate", "otep.validate.invalid_time")
    if "id" in document and not (isinstance(id, str) and is_uri(id)):
        yield FieldError("$.id", "ingest.epcis_uri")
    for name in ("sender", "receiver", "instanceIdentifier"):
        if not isinstance(document.get(name, ""), str):
            yield FieldError(f"$.{name}", "otep.validate.wrong_type", {"expected": "string"})


def _is_context(context: Any) -> bool:
    """Whether a JSON-LD context is a URI, an object, or a list of these, as the schema wants it."""
    parts = context if isinstance(context, list) else [context]
    return all(isinstance(part, dict) or (isinstance(part, str) and is_uri(part)) for part in parts)


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


def _read_event(parsed: ParsedDocument, path: str, event: Any, terms: JsonLdTerms, reader: EpcisEventReader) -> None:
    parsed.paths.append(path)
    plain = _event_terms(event, terms).plain(event) if isinstance(event, dict) else event
    for result in reader.read(plain, path):
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
