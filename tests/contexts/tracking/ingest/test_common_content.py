"""A batch of EPCIS events equals its events one by one."""

from typing import Any

from tests.contexts.tracking.ingest.requests import make_document, make_object_event

from haulier.contexts.otep.timeline.contract import Source
from haulier.contexts.tracking.ingest.rules.epcis_events import read_epcis

SOURCE = Source(type="carrier")
OTHER_VALUES: dict[str, Any] = {
    "eventTime": "2026-03-02T10:00:01Z",
    "eventTimeZoneOffset": "+05:30",
    "bizStep": "receiving",
    "disposition": "damaged",
    "action": "ADD",
    "readPoint": {"id": "geo:43.6,-79.4"},
    "bizTransactionList": [{"bizTransaction": "urn:epc:id:gdti:0614141.06012.1"}],
    "epcList": ["https://id.gs1.org/00/106141412345678908"],
    "otep:incidentReason": "damaged",
}
FAULTS: dict[str, Any] = {name: value for name in OTHER_VALUES for value in (None, 7)}


def read_alone(event: dict[str, Any]) -> tuple[Any, ...]:
    parsed = read_epcis(make_document(event), SOURCE)
    return (
        [(each.subject, each.event, each.correction) for each in parsed.events],
        [
            [(reason.message, reason.path.rpartition("]")[2]) for reason in reasons]
            for reasons in parsed.refused.values()
        ],
    )


def test_events_of_a_batch_are_read_as_if_sent_individually() -> None:
    first = make_object_event()
    events = [first, {**first}, *({**first, name: value} for name, value in (OTHER_VALUES | FAULTS).items())]
    events += [{**first, name: value} for name, value in OTHER_VALUES.items()]
    events += [{name: value for name, value in first.items() if name != left_out} for left_out in first]
    together = read_epcis(make_document(*events), SOURCE)
    for path, event in zip(together.paths, events, strict=True):
        found = [(each.subject, each.event, each.correction) for each in together.events if each.path == path]
        refused = [(reason.message, reason.path.rpartition("]")[2]) for reason in together.refused.get(path, ())]
        assert (found, [refused] if refused else []) == read_alone(event), event
