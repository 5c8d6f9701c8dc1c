"""Tables and statements of timelines: events.

What happened and when stays, and so does what the public may see of it: the timeline without the person.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import case, func, or_, select

from haulier.contexts.otep.public import (
    TERMINAL_CODES,
    Correction,
    TrackingEvent,
    is_precomputable,
    split_public_fields,
)
from haulier.contexts.tracking.timelines.store.tables import (
    WHOLE_EVENT,
    PastRow,
    RecordedEventRow,
    corrections,
    events,
)
from haulier.kernel.data.keyed_lookups import for_each_key, key_list
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, personal_data
from haulier.kernel.data.statements import Compared, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

JUST_AFTER = timedelta(microseconds=1)
_encode_document = msgspec.json.Encoder().encode
_decode_event = msgspec.json.Decoder(TrackingEvent).decode
_decode_correction = msgspec.json.Decoder(Correction).decode

_recorded = select(events.c.subject_id, events.c.event_id, events.c.occurred_at, events.c.status_code)
_select_recorded = _recorded.where(
    in_param(events.c.subject_id, "ids"),
    in_param(Compared(events.c.event_id), "event_ids"),
)
_subject_key = key_list(ids=events.c.subject_id)
_event_key = key_list(ids=events.c.subject_id, event_ids=events.c.event_id)
_copy_key = key_list(ids=events.c.subject_id, event_ids=events.c.event_id, times=events.c.occurred_at)
_select_recorded_by_key = for_each_key(
    _event_key,
    _recorded.where(events.c.subject_id == _event_key.c.ids, events.c.event_id == _event_key.c.event_ids),
)
_is_end = events.c.status_code.in_(sorted(TERMINAL_CODES))
_pasts = select(
    events.c.subject_id,
    func.max(events.c.recorded_at).label("recorded_at"),
    func.max(case((_is_end, 1), else_=0)).label("ends"),
).group_by(events.c.subject_id)
_select_pasts = _pasts.where(in_param(events.c.subject_id, "ids"))
_select_pasts_by_key = for_each_key(_subject_key, _pasts.where(events.c.subject_id == _subject_key.c.ids))
_whole_events = select(events.c.subject_id, WHOLE_EVENT.label("document"))
_select_whole_events = _whole_events.where(in_param(events.c.subject_id, "ids"))
_select_deciding = _select_whole_events.where(
    or_(
        _is_end,
        in_param(Compared(events.c.event_id), "event_ids"),
        in_param(Compared(events.c.occurred_at), "times"),
    )
)
_is_copy = or_(events.c.event_id == _copy_key.c.event_ids, events.c.occurred_at == _copy_key.c.times)
_select_deciding_by_key = for_each_key(
    _copy_key, _whole_events.where(events.c.subject_id == _copy_key.c.ids, or_(_is_end, _is_copy))
)
_select_ended = select(events.c.subject_id).where(in_param(events.c.subject_id, "ids"), _is_end).distinct()
_select_corrections = select(corrections.c.subject_id, corrections.c.document).where(
    in_param(corrections.c.subject_id, "ids")
)
_select_correction_ids = select(corrections.c.subject_id, corrections.c.correction_id).where(
    in_param(corrections.c.subject_id, "ids")
)


async def list_recorded_events(work: UnitOfWork, keys: Collection[tuple[int, str]]) -> list[RecordedEventRow]:
    """Return recorded events by (subject id, event id).

    On SQLite possibly others, too.
    """
    if not keys:
        return []
    ids, event_ids = zip(*keys, strict=True)
    statement = _select_recorded if work.on_sqlite else _select_recorded_by_key
    return await work.all(statement, RecordedEventRow, ids=ids, event_ids=event_ids)


async def list_whole_events(work: UnitOfWork, subject_ids: Collection[int]) -> list[tuple[int, TrackingEvent]]:
    """Return every event of subjects with subject ids, unordered."""
    rows = await work.all(_select_whole_events, ids=list(subject_ids))
    return [(row.subject_id, _decode_event(row.document)) for row in rows]


async def list_events_that_decide(
    work: UnitOfWork, asked: Collection[tuple[int, TrackingEvent]]
) -> list[tuple[int, TrackingEvent]]:
    """Return ends, the given events, and events at the same instants.

    Events at the same instant may be copies.
    """
    ids = [subject_id for subject_id, _ in asked]
    event_ids = [event.event_id for _, event in asked]
    times = [event.occurred_at for _, event in asked]
    statement = _select_deciding if work.on_sqlite else _select_deciding_by_key
    rows = await work.all(statement, ids=ids, event_ids=event_ids, times=times)
    return [(subject_id, _decode_event(document)) for subject_id, document in dict.fromkeys(rows)]


async def ended_subject_ids(work: UnitOfWork, subject_ids: Collection[int]) -> set[int]:
    """Return the subjects with a terminal event, voided or not."""
    return {row.subject_id for row in await work.all(_select_ended, ids=list(subject_ids))}


async def list_corrections(work: UnitOfWork, subject_ids: Collection[int]) -> list[tuple[int, Correction]]:
    """Return every correction of subjects with subject ids, unordered."""
    rows = await work.all(_select_corrections, ids=list(subject_ids))
    return [(row.subject_id, _decode_correction(row.document)) for row in rows]


async def insert_events(
    work: UnitOfWork, new_events: Iterable[tuple[int, TrackingEvent]], *, new_subject_ids: Collection[int] = ()
) -> dict[int, bool]:
    """Insert new events by subject id; subject rows must be locked or new.

    Returns the changed subjects, and whether each has a terminal event now, voided or not.

    Within a subject `recorded_at` never goes back, whatever the clocks of nodes and lock waits: lists that continue by
    it would miss an event written behind their cursor.
    """
    pairs = list(new_events)
    if not pairs:
        return {}
    old = {subject_id for subject_id, _ in pairs if subject_id not in new_subject_ids}
    statement = _select_pasts if work.on_sqlite else _select_pasts_by_key
    pasts = await work.all(statement, PastRow, ids=list(old)) if old else []
    latest = {row.subject_id: row.recorded_at for row in pasts}
    rows = [_event_row(subject_id, _recorded_after(event, latest.get(subject_id))) for subject_id, event in pairs]
    await work.insert_later(events, rows)
    ended = {row.subject_id for row in pasts if row.ends}
    ended |= {subject_id for subject_id, event in pairs if event.status_code in TERMINAL_CODES}
    return {subject_id: subject_id in ended for subject_id, _ in pairs}


def _recorded_after(event: TrackingEvent, latest: datetime | None) -> TrackingEvent:
    if latest is None or not event.recorded_at or event.recorded_at >= latest:
        return event
    return msgspec.structs.replace(event, recorded_at=latest + JUST_AFTER)


def _event_row(subject_id: int, event: TrackingEvent) -> dict[str, Any]:
    public, document = split_public_fields(event) if is_precomputable(event) else (None, event)
    return {
        "subject_id": subject_id,
        "event_id": event.event_id,
        "occurred_at": event.occurred_at,
        "recorded_at": event.recorded_at,
        "status_code": event.status_code,
        "document": _encode_document(document).decode(),
        "shown": public and _encode_document(public).decode(),
    }


async def recorded_correction_ids(work: UnitOfWork, subject_ids: Collection[int]) -> set[tuple[int, str]]:
    """Return the corrections of some subjects, as (subject id, correction id)."""
    rows = await work.all(_select_correction_ids, ids=list(subject_ids))
    return {(row.subject_id, row.correction_id) for row in rows}


async def insert_corrections(work: UnitOfWork, rows: Mapping[tuple[int, str], Correction], at: datetime) -> None:
    """Write corrections that are not there yet, by (subject id, correction id)."""
    documents = [
        {
            "subject_id": subject_id,
            "correction_id": correction_id,
            "recorded_at": at,
            "document": _encode_document(correction).decode(),
        }
        for (subject_id, correction_id), correction in rows.items()
    ]
    await work.insert_many(corrections, documents)


KEPT_OF_A_PLACE = ("city", "region", "country", "unlocode")
COMPANY_SOURCES = ("carrier", "partner")
FREE_TEXTS = ("description", "extensions", "raw_status")


def _without_contacts(row: Any, keys: PersonKeys) -> str:
    """Return an event without its source's texts, street and reference."""
    document = {name: value for name, value in msgspec.json.decode(row.document).items() if name not in FREE_TEXTS}
    if "location" in document:
        place = document["location"]
        document["location"] = {name: place[name] for name in KEPT_OF_A_PLACE if name in place}
    if "incident_reason" in document:
        document["incident_reason"] = {"code": document["incident_reason"]["code"]}
    if "source" in document:
        kept = ("type", "name") if document["source"].get("type") in COMPANY_SOURCES else ("type",)
        document["source"] = {name: document["source"][name] for name in kept if name in document["source"]}
    return _same_or_encoded(row.document, document)


def _without_proof(row: Any, keys: PersonKeys) -> str:
    document = msgspec.json.decode(row.document)
    document.pop("pod", None)
    if "outcome" in document:
        document["outcome"] = {
            name: fact for name, fact in document["outcome"].items() if name not in ("name", "left_at")
        }
    return _same_or_encoded(row.document, document)


def _same_or_encoded(text: str, document: dict[str, Any]) -> str:
    """Return the original text if nothing was removed, so the row counts as unchanged."""
    return text if msgspec.json.decode(text) == document else msgspec.json.encode(document).decode()


personal_data(
    events,
    RecordKind.ORDER_CONTACTS,
    by={"subject_id": PersonKey.PARCEL},
    erased={"document": _without_contacts},
    plain=("event_id", "status_code", "shown"),
)
personal_data(events, RecordKind.PROOFS, by={"subject_id": PersonKey.PARCEL}, erased={"document": _without_proof})
