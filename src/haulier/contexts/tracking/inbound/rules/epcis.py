"""EPCIS documents: events under an `eventList`, the answer to a query, or one event alone."""

from collections.abc import Iterator
from typing import Any

from haulier.contexts.tracking.inbound.rules.epcis_events import told_by
from haulier.contexts.tracking.inbound.rules.epcis_shapes import KINDS
from haulier.contexts.tracking.inbound.rules.epcis_terms import Terms, terms_of
from haulier.contexts.tracking.inbound.rules.told import Reading, Told, a_reading, demand_few
from haulier.contexts.tracking.otep.model import Source
from haulier.kernel.errors import problem

NOT_EPCIS = problem("ingest_not_epcis", 422)
NO_EVENTS = problem("ingest_no_events", 422)

DOCUMENTS = ("EPCISDocument", "EPCISQueryDocument")


def read_epcis(document: Any, source: Source) -> Reading:
    """What a document tells, as told by a source.

    Raises `NOT_EPCIS`, `NO_EVENTS` for a document that holds only master data, and `TOO_MANY_EVENTS`, which counts each
    subject of an event.
    """
    if not isinstance(document, dict):
        raise NOT_EPCIS(allowed=", ".join(DOCUMENTS))
    terms = terms_of(document.get("@context"))
    found = list(_events(terms.plain(document)))
    demand_few(len(found))
    reading = a_reading()
    for path, event in found:
        _read(reading, path, event, terms, source)
    demand_few(len(reading.told))
    return reading


def _events(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    kind = document.get("type")
    if isinstance(kind, str) and kind in KINDS:
        yield "$", document
        return
    if kind not in DOCUMENTS:
        raise NOT_EPCIS(allowed=", ".join(DOCUMENTS))
    path, part = "$.epcisBody", document.get("epcisBody")
    if kind == "EPCISQueryDocument":
        path, part = f"{path}.queryResults.resultsBody", _inside(_inside(part, "queryResults"), "resultsBody")
    events = _inside(part, "eventList")
    if not isinstance(events, list):
        raise NO_EVENTS(path=f"{path}.eventList")
    yield from ((f"{path}.eventList[{at}]", event) for at, event in enumerate(events))


def _inside(part: Any, name: str) -> Any:
    return part.get(name) if isinstance(part, dict) else None


def _read(reading: Reading, path: str, event: Any, terms: Terms, source: Source) -> None:
    reading.paths.append(path)
    plain = _own_terms(event, terms).plain(event) if isinstance(event, dict) else event
    for each in told_by(plain, path, source):
        if isinstance(each, Told):
            reading.told.append(each)
        else:
            reading.refused.setdefault(path, []).append(each)


def _own_terms(event: dict[str, Any], terms: Terms) -> Terms:
    """The document's terms, and those of the event's own context."""
    if "@context" not in event:
        return terms
    own = terms_of(event["@context"])
    return Terms({**terms.aliases, **own.aliases}, tuple(dict.fromkeys((*terms.prefixes, *own.prefixes))))
