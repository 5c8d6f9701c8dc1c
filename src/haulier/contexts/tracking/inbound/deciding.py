"""What becomes of each event of a document: decided in a constant number of statements, and nothing written yet."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter, itemgetter

from msgspec import UNSET, Struct
from msgspec.json import Decoder
from msgspec.structs import replace

from haulier.contexts.tracking.inbound import store
from haulier.contexts.tracking.inbound.places import Place, find
from haulier.contexts.tracking.inbound.rules import claims, fates
from haulier.contexts.tracking.inbound.rules.fates import Content, Fate
from haulier.contexts.tracking.inbound.rules.told import Named, Reading, Reason, Seen, Told
from haulier.contexts.tracking.inbound.rules.vocabularies import meaning
from haulier.contexts.tracking.otep.model import Correction, Event, IncidentReason, Source
from haulier.contexts.tracking.otep.rules.identity import place as place_in_time
from haulier.contexts.tracking.otep.rules.timeline import synthesise
from haulier.contexts.tracking.timelines import store as timelines
from haulier.kernel.call import Call
from haulier.kernel.principal import Mandate

_read = Decoder(Event).decode


class Entry(Struct, kw_only=True):
    """One event and its timeline. `fresh`: the event was not told before, though it may be taken back at once."""

    path: str
    named: Named
    place: Place
    event: Event
    correction: Correction | None = None
    fate: Fate = Fate.ACCEPTED
    fresh: bool = True


class Decision(Struct):
    """What is to be written, and what is not taken and why."""

    places: dict[Named, Place]
    entries: list[Entry]
    refused: dict[str, list[Reason]]


async def decide(call: Call, reading: Reading, mandate: Mandate) -> Decision:
    """What becomes of a document that the calling provider brought."""
    name = call.principal.name or ""
    speaks = {*mandate.carriers, name} if mandate.carriers else set[str]()
    speaker = claims.speaker(mandate, name)
    brought = [*reading.told, *reading.seen]
    places = await find(call, list(dict.fromkeys(each.subject for each in brought)), speaks) if brought else {}
    decision = Decision(places, [], {path: list(reasons) for path, reasons in reading.refused.items()})
    for each in brought:
        if reason := _refusal(each, places[each.subject], mandate, name):
            decision.refused.setdefault(each.path, []).append(reason)
    entries = [_entry(call, each, places, speaker) for each in reading.told if each.path not in decision.refused]
    polled = [each for each in reading.seen if each.path not in decision.refused]
    entries += await _changes(call, polled, places, speaker) if polled else []
    await _compare(call, entries, decision)
    return decision


def _refusal(told: Told | Seen, place: Place, mandate: Mandate, name: str) -> Reason | None:
    source = told.event.source if isinstance(told, Told) else told.source
    if reason := claims.refusal(source, mandate, name, told.path):
        return reason
    return None if place.open else Reason(told.path, "ingest.not_carried", {"number": told.subject.names[0]})


def _entry(call: Call, told: Told, places: dict[Named, Place], speaker: Source) -> Entry:
    place = places[told.subject]
    event = fates.recorded(told, place.number, speaker.name or None, call.now)
    taken_back = fates.correction(told.correction, event, place.number) if told.correction else None
    return Entry(path=told.path, named=told.subject, place=place, event=event, correction=taken_back)


async def _changes(call: Call, polled: list[Seen], places: dict[Named, Place], speaker: Source) -> list[Entry]:
    """One event for each change of a status, at sources that show no more than their present one."""
    numbers = {place.id: place.number for each in polled if (place := places[each.subject]).id is not None}
    rows = await store.documents(call.work, numbers.keys())
    told = [(place_in_time(event), event, numbers[row.subject_id]) for row in rows for event in [_read(row.document)]]
    latest = {
        (number, event.source.type, event.source.name or ""): event
        for _, event, number in sorted(told, key=itemgetter(0))
    }
    entries: list[Entry] = []
    for each in polled:
        place = places[each.subject]
        source = replace(each.source, name=each.source.name or speaker.name, reference=UNSET)
        key = place.number, source.type, source.name or ""
        event = _change(call, each, latest.get(key), source)
        entry = Entry(path=each.path, named=each.subject, place=place, event=event or latest[key])
        if event is None:
            entry.fate, entry.fresh = Fate.DUPLICATE, False
        else:
            told = Told(path=each.path, subject=each.subject, event=event)
            entry.event = latest[key] = fates.recorded(told, place.number, None, call.now)
        entries.append(entry)
    return entries


def _change(call: Call, seen: Seen, before: Event | None, source: Source) -> Event | None:
    told = meaning(source.name, seen.status, seen.subject.profile)
    event = synthesise(
        before.status_code if before else None,
        told.status_code if told else seen.status,
        event_id="",
        occurred_at=call.now,
        source=source,
        profile=seen.subject.profile,
        previous_phase=before.phase if before else None,
        raw_status=seen.status if told else None,
    )
    if event is None or told is None or told.incident_reason is None:
        return event
    return replace(event, incident_reason=IncidentReason(code=told.incident_reason))


async def _compare(call: Call, entries: list[Entry], decision: Decision) -> None:
    """Set the fate of every entry by what was told before, and by what stands before it in the document."""
    numbers = {entry.place.id: entry.place.number for entry in entries if entry.place.id is not None}
    ids = numbers.keys()
    rows = await store.before(call.work, ids, {entry.event.event_id for entry in entries}) if ids else []
    before = {(numbers[row.subject_id], row.event_id): (row.occurred_at, row.status_code) for row in rows}
    declared = await timelines.corrected(call.work, ids) if ids and any(each.correction for each in entries) else set()
    told_back = {(numbers[subject], id) for subject, id in declared}
    for path, group in groupby(entries, attrgetter("path")):
        together = list(group)
        if reasons := list(_differing(path, together, before)):
            decision.refused.setdefault(path, []).extend(reasons)
            continue
        for entry in together:
            _settle(entry, before, told_back)
        decision.entries += together


def _differing(path: str, entries: Iterable[Entry], before: dict[tuple[str, str], Content]) -> Iterable[Reason]:
    for entry in entries:
        known = before.get((entry.place.number, entry.event.event_id))
        if entry.fresh and not entry.correction and fates.fate(entry.event, known) is Fate.REFUSED:
            said = entry.event.source.reference or entry.event.event_id
            yield Reason(path, "ingest.event_differs", {"event_id": said, "number": entry.place.number})


def _settle(entry: Entry, before: dict[tuple[str, str], Content], declared: set[tuple[str, str]]) -> None:
    key = entry.place.number, entry.event.event_id
    entry.fresh = entry.fresh and key not in before
    before.setdefault(key, fates.content(entry.event))
    entry.fate = Fate.ACCEPTED if entry.fresh else Fate.DUPLICATE
    if entry.correction:
        declaration = entry.place.number, fates.correction_id(entry.correction)
        entry.fate = Fate.DUPLICATE if declaration in declared else Fate.CORRECTED
        declared.add(declaration)
