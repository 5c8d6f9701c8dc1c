"""Rules of ingest: epcis events."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

from msgspec import UNSET, Struct, UnsetType, convert
from msgspec.json import encode
from msgspec.structs import replace

from haulier.contexts.otep.public import (
    CORRECTION_REASONS,
    INCIDENT_REASON_CHECK,
    LOCATION_CHECK,
    STATUS_CODES,
    UNIVERSAL_PROFILE,
    Correction,
    FindingSeverity,
    IncidentReason,
    Location,
    Source,
    TrackingEvent,
    is_experimental_code,
    parse_timestamp,
    plain_timestamp,
    printable_excerpt,
    resolve_status,
    status_code_row,
)
from haulier.contexts.tracking.ingest.rules import epcis_event_shape
from haulier.contexts.tracking.ingest.rules.epcis_event_shape import (
    EPCIS_EVENT_TYPES,
    epcis_event_faults,
    epcis_field_faults,
    expected_check_digit,
    is_uri,
    parse_epc,
    parse_gln,
    printable_value,
)
from haulier.contexts.tracking.ingest.rules.parsed import (
    ParsedDocument,
    ParsedEvent,
    RefusalReason,
    SubjectNames,
    empty_document,
    require_event_limit,
)
from haulier.kernel.operations.errors import FieldError, declare_error

TRANSFORMED_CODE = "x-epcis-transformed"
"""The status of the inputs of a transformation. Its outputs get the status of the event."""

_PROFILE_BY_CODE = {row.code: row.profile for row in STATUS_CODES}
"""The profile of every code. An EPCIS document names no profile."""

CODE_MAX = 60
_RAW_MAX = 200
_TRANSACTIONS_MAX = 20
_KEPT_FIELDS = ("type", "action", "parentID", "transformationID")
_OWN_FIELDS = dict.fromkeys(("eventTime", "recordTime", "eventID", "epcList", "childEPCs", "bizTransactionList"))
"""The fields in which the events of a document usually differ."""


class _CommonContent(Struct, frozen=True):
    """Content shared by events that differ only in their own fields."""

    event: TrackingEvent
    extensions: dict[str, Any]
    correction: Correction | None
    profile: str


class EpcisEventReader:
    """Reader of the events of one document. Shared content is parsed once.

    A batch names many things that passed one place at one time: most of its fields repeat
    (docs/decisions/performance.md).
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._common: dict[bytes, _CommonContent] = {}

    def read(self, event: dict[str, Any], path: str) -> list[ParsedEvent] | list[RefusalReason]:
        """Return the events of an EPCIS event, one per subject, or its refusal reasons."""
        key = _common_key(event)
        common = self._common.get(key) if key else None
        reasons = list(_own_field_faults(event, path) if common else _event_faults(event, path))
        reasons = reasons or list(_key_faults(event, path))
        subjects = [] if reasons else list(_event_subjects(event))
        if not reasons and not subjects:
            reasons.append(_no_subject_reason(event, path))
        if reasons:
            return reasons
        if common is None:
            common = self._common[key] = _common_content(event, self._source)
        parsed = _parsed_event(event, common)
        return [
            ParsedEvent(
                path=path,
                subject=subject if subject.profile == common.profile else replace(subject, profile=common.profile),
                event=parsed if code is None else _with_code(parsed, code),
                correction=common.correction,
            )
            for subject, code in subjects
        ]


def _common_key(event: Any) -> bytes:
    """Return a key that is equal for events that differ only in their own fields."""
    try:
        return encode({name: None if name in _OWN_FIELDS else value for name, value in event.items()})
    except (AttributeError, UnicodeEncodeError, RecursionError):  # no object, half a character, or nested deeply
        return b""


def _event_faults(event: Any, path: str) -> Iterator[RefusalReason]:
    yield from epcis_event_faults(event, path)
    yield from _own_term_faults(event, path)


def _own_field_faults(event: dict[str, Any], path: str) -> Iterator[RefusalReason]:
    for name in _OWN_FIELDS:
        if name in event:
            yield from epcis_field_faults(name, event[name], path)


def _own_term_faults(event: Any, path: str) -> Iterator[RefusalReason]:
    """Yield the faults of OTEP terms."""
    members: dict[str, Any] = event if isinstance(event, dict) else {}
    if "otep:statusCode" in members and not _is_code(code := members["otep:statusCode"]):
        params = {"value": printable_value(code), "profile": UNIVERSAL_PROFILE}
        yield RefusalReason(f"{path}['otep:statusCode']", "otep.validate.unknown_code", params)
    reason = {"code": members.get("otep:incidentReason"), "note": members.get("otep:incidentNote")}
    values = {name: value for name, value in reason.items() if value is not None}
    checks = [(LOCATION_CHECK, "otep:location", members.get("otep:location"))] if "otep:location" in members else []
    checks += [(INCIDENT_REASON_CHECK, "otep:incidentReason", values)] if "code" in values else []
    for check, name, value in checks:
        for finding in check(value, f"{path}['{name}']"):
            if finding.severity is FindingSeverity.ERROR:
                yield RefusalReason(finding.path, f"otep.validate.{finding.code}", finding.params)


def _is_code(code: Any) -> bool:
    is_known = isinstance(code, str) and (
        code in _PROFILE_BY_CODE or resolve_status(code) is not None or is_experimental_code(code)
    )
    return is_known and len(code) <= CODE_MAX and code.isprintable()


def _key_faults(event: dict[str, Any], path: str) -> Iterator[RefusalReason]:
    """Yield GS1 keys with a wrong check digit, which would create false timelines."""
    for field in EPCIS_EVENT_TYPES[event["type"]].subjects:
        value = event.get(field) or []
        for index, epc in enumerate([value] if isinstance(value, str) else value):
            if expected := expected_check_digit(epc):
                where = f"{path}.{field}" if isinstance(value, str) else f"{path}.{field}[{index}]"
                yield RefusalReason(where, "otep.validate.wrong_check_digit", {"expected": expected})


def _event_subjects(event: dict[str, Any]) -> Iterator[tuple[SubjectNames, str | None]]:
    """Yield the subjects of an event, each with a code if it differs from the step's."""
    done_keys: set[SubjectNames] = set()
    for field in EPCIS_EVENT_TYPES[event["type"]].subjects:
        value = event.get(field) or []
        for epc in [value] if isinstance(value, str) else value:
            if (subject := parse_epc(epc)) and subject not in done_keys:
                done_keys.add(subject)
                yield subject, TRANSFORMED_CODE if field == "inputEPCList" else None
        if done_keys and field != "outputEPCList":
            return


def _no_subject_reason(event: dict[str, Any], path: str) -> RefusalReason:
    event_type = EPCIS_EVENT_TYPES[event["type"]]
    if any(event.get(field) for field in (*event_type.classes, *event_type.subjects)):
        return RefusalReason(path, "ingest.epcis_classes_only")
    if event.get("sensorElementList"):
        return RefusalReason(path, "ingest.epcis_sensor_only")
    return RefusalReason(path, "ingest.epcis_no_subject", {"fields": ", ".join(event_type.subjects)})


def _parsed_event(event: dict[str, Any], common: _CommonContent) -> TrackingEvent:
    return replace(
        common.event,
        event_id=event.get("eventID", ""),
        occurred_at=_occurred_at(event),
        extensions={"epcis": common.extensions | _transactions(event)},
    )


def _common_content(event: dict[str, Any], source: Source) -> _CommonContent:
    common = _common_event(event, source)
    profile = _PROFILE_BY_CODE.get(common.status_code, UNIVERSAL_PROFILE)
    return _CommonContent(common, _extensions(event), _correction(event), profile)


def _common_event(event: dict[str, Any], source: Source) -> TrackingEvent:
    """Return the event without its own fields.

    `otep:statusCode` takes precedence over words, so that our documents read back.
    """
    step, disposition = (epcis_event_shape.bare_word(event.get(name, "")) for name in ("bizStep", "disposition"))
    stated = event.get("otep:statusCode")
    phase = event.get("otep:phase")
    code = stated or epcis_event_shape.status_code_of_words(step, disposition)
    row = status_code_row(code, phase if isinstance(phase, str) else "", _PROFILE_BY_CODE.get(code, UNIVERSAL_PROFILE))
    return TrackingEvent(
        event_id="",
        occurred_at=_occurred_at(event),
        status_code=row.code,
        phase=row.phase,
        source=source,
        location=_location(event),
        incident_reason=_incident_reason(event, "" if stated else disposition),
        raw_status=UNSET if stated else "/".join(word for word in (step, disposition) if word)[:_RAW_MAX] or UNSET,
    )


def _with_code(event: TrackingEvent, code: str) -> TrackingEvent:
    row = status_code_row(code, event.phase, UNIVERSAL_PROFILE)
    return replace(event, status_code=row.code, phase=row.phase)


def _occurred_at(event: dict[str, Any]) -> datetime:
    """Return the instant, in the offset of the event's place."""
    return convert(plain_timestamp(event["eventTime"]), datetime).astimezone(_zone(event["eventTimeZoneOffset"]))


@lru_cache(maxsize=256)
def _zone(written: str) -> timezone:
    """Return the zone of an offset such as `-04:00`."""
    sign, hours, minutes = written[0], *written[1:].split(":")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-offset if sign == "-" else offset)


def _location(event: dict[str, Any]) -> Location | UnsetType:
    if location := event.get("otep:location"):
        return convert(location, Location)
    for field in ("readPoint", "bizLocation"):
        uri = event.get(field, {}).get("id", "")
        if number := parse_gln(uri):
            return Location(gln=number)
        if uri.startswith("geo:") and (point := _point(uri)):
            return Location(lat=point[0], lng=point[1])
    return UNSET


def _point(uri: str) -> tuple[float, float] | None:
    """Return the point of a valid `geo` URI (RFC 5870), or None."""
    try:
        lat, lng = (float(part) for part in uri[4:].partition(";")[0].split(",")[:2])
    except ValueError:
        return None
    return (lat, lng) if -90 <= lat <= 90 and -180 <= lng <= 180 else None


def _incident_reason(event: dict[str, Any], disposition: str) -> IncidentReason | UnsetType:
    code = event.get("otep:incidentReason") or epcis_event_shape.DISPOSITION_REASONS.get(disposition)
    note = event.get("otep:incidentNote")
    return IncidentReason(code=code, note=note if isinstance(note, str) and note else UNSET) if code else UNSET


def _extensions(event: dict[str, Any]) -> dict[str, Any]:
    """Return the shortened fields without counterpart in the protocol.

    Transactions are not included.
    """
    document: dict[str, Any] = {name: event[name] for name in _KEPT_FIELDS if name in event}
    for field in ("readPoint", "bizLocation"):
        if field in event:
            document[field] = event[field]["id"][:_RAW_MAX]
    return document


def _transactions(event: dict[str, Any]) -> dict[str, list[str]]:
    """Return the documents that an event names, without text that cannot be stored."""
    transactions = [item.get("bizTransaction") for item in event.get("bizTransactionList", [])]
    texts = [text for text in transactions if isinstance(text, str)]
    return {"bizTransactionList": [printable_excerpt(text) for text in texts[:_TRANSACTIONS_MAX]]} if texts else {}


def _correction(event: dict[str, Any]) -> Correction | None:
    declaration = event.get("errorDeclaration")
    if declaration is None:
        return None
    declared = declaration.get("reason")
    reason = epcis_event_shape.bare_word(declared) if isinstance(declared, str) else ""
    corrective = declaration.get("correctiveEventIDs", [])
    return Correction(
        event_id="",
        declared_at=parse_timestamp(declaration["declarationTime"]) or datetime.min.replace(tzinfo=UTC),
        reason=reason if reason in CORRECTION_REASONS else UNSET,
        corrective_event_ids=tuple(corrective) or UNSET,
    )


_EPCIS_TERM = re.compile(r"(?:epcis:|https?://(?:ref|ns)\.gs1\.org/(?:standards/)?epcis/)([A-Za-z]+)")
_KEYWORDS = {"@type": "type", "@id": "id", "isA": "type"}
OWN_TERM = re.compile(r"(?:.*/otep/terms#|urn:otep:terms:)(.*)", re.DOTALL)
"""A full OTEP term: a URN, or the address of a service, as in older documents."""
CONTEXTS_MAX = 20
"""Parts of an `@context` that are read."""


class JsonLdTerms(Struct, frozen=True):
    """The usual names of the fields that a document calls otherwise."""

    aliases: Mapping[str, str]
    prefixes: tuple[str, ...]

    def plain(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event with normalised names; OTEP terms begin with `otep:`.

        If two fields share a name, the first counts.
        """
        if not self.aliases and self.prefixes == ("otep:",) and _has_usual_names(tuple(event)):
            return event
        plain: dict[str, Any] = {}
        for name, value in event.items():
            plain.setdefault(self.name(name), value)
        return plain

    def name(self, name: str) -> str:
        """Return the usual name of a field."""
        if name in self.aliases:
            return self.aliases[name]
        if standard := _EPCIS_TERM.fullmatch(name):
            return standard[1]
        if own := OWN_TERM.fullmatch(name):
            return "otep:" + own[1]
        prefix = next((prefix for prefix in self.prefixes if name.startswith(prefix)), None)
        return "otep:" + name[len(prefix) :] if prefix else _KEYWORDS.get(name, name)


@lru_cache(maxsize=256)
def _has_usual_names(names: tuple[str, ...]) -> bool:
    return not any(map(_is_unusual_name, names))


def _is_unusual_name(name: str) -> bool:
    return name in _KEYWORDS or name.startswith(("epcis:", "http", "urn:otep:"))


def read_terms(context: Any) -> JsonLdTerms:
    """Return the terms of an `@context` of any form. Remote contexts are not fetched."""
    parts = context if isinstance(context, list) else [context]
    pairs = [pair for part in parts[:CONTEXTS_MAX] if isinstance(part, dict) for pair in part.items()]
    aliases: dict[str, str] = {}
    prefixes = ["otep:"]
    for term, meaning in pairs:
        target = meaning.get("@id") if isinstance(meaning, dict) else meaning
        if not isinstance(target, str):
            continue
        own = OWN_TERM.fullmatch(target)
        if own and not own[1]:
            prefixes.append(f"{term}:")
        elif own and not term.startswith("otep:"):
            aliases[term] = "otep:" + own[1]
        elif standard := _EPCIS_TERM.fullmatch(target):
            aliases[term] = standard[1]
    return JsonLdTerms(aliases, tuple(dict.fromkeys(prefixes)))


NOT_EPCIS = declare_error("ingest_not_epcis", 422, fields=("$",))
NO_EVENTS = declare_error("ingest_no_events", 422, fields=("$",))

_VERSION = re.compile(r"\d+(\.\d+)*")
DOCUMENTS = ("EPCISDocument", "EPCISQueryDocument")


def read_epcis(document: Any, source: Source) -> ParsedDocument:
    """Return the events of a document that comes from a source.

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
    """Raise `NOT_EPCIS` if the head of a JSON document violates the standard's schema.

    The head of an XML document is not checked: its namespace identifies it.
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
    """Return True if a JSON-LD context is a URI, an object, or a list of these."""
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
    """Return the document's terms, and those of the event's own context."""
    if "@context" not in event:
        return terms
    own = read_terms(event["@context"])
    return JsonLdTerms({**terms.aliases, **own.aliases}, tuple(dict.fromkeys((*terms.prefixes, *own.prefixes))))
