"""What becomes of each event of a document: decided in a constant number of statements, and nothing written yet."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter, itemgetter

from msgspec import UNSET, Struct
from msgspec.json import Decoder
from msgspec.structs import replace

from haulier.contexts.otep.public import Correction, IncidentReason, Source, TrackingEvent, synthesise_event
from haulier.contexts.otep.public import timeline_order_key as order_key
from haulier.contexts.tracking.ingest import store
from haulier.contexts.tracking.ingest.actions.subjects import SubjectMatch, match_subjects
from haulier.contexts.tracking.ingest.rules import outcomes, source_permissions
from haulier.contexts.tracking.ingest.rules.carrier_statuses import translate_carrier_status
from haulier.contexts.tracking.ingest.rules.outcomes import IngestOutcome, OccurrenceContent
from haulier.contexts.tracking.ingest.rules.parsed import (
    ParsedDocument,
    ParsedEvent,
    PolledStatus,
    RefusalReason,
    SubjectNames,
)
from haulier.contexts.tracking.timelines import store as timelines
from haulier.kernel.call import Call
from haulier.kernel.principal import ProviderGrant

_decode_event = Decoder(TrackingEvent).decode


class ResolvedEvent(Struct, kw_only=True):
    """One event and its timeline. `fresh`: the event was not told before, though it may be taken back at once."""

    path: str
    named: SubjectNames
    subject_match: SubjectMatch
    event: TrackingEvent
    correction: Correction | None = None
    outcome: IngestOutcome = IngestOutcome.ACCEPTED
    fresh: bool = True


class IngestResolution(Struct):
    """What is to be written, and what is not taken and why."""

    subject_matches: dict[SubjectNames, SubjectMatch]
    entries: list[ResolvedEvent]
    refused: dict[str, list[RefusalReason]]


async def resolve_document(call: Call, reading: ParsedDocument, provider_grant: ProviderGrant) -> IngestResolution:
    """What becomes of a document that the calling provider brought."""
    name = call.principal.name or ""
    allowed_names = {*provider_grant.carriers, name} if provider_grant.carriers else set[str]()
    provider_source = source_permissions.default_source(provider_grant, name)
    brought = [*reading.told, *reading.seen]
    subject_matches = (
        await match_subjects(call, list(dict.fromkeys(each.subject for each in brought)), allowed_names)
        if brought
        else {}
    )
    resolution = IngestResolution(
        subject_matches, [], {path: list(reasons) for path, reasons in reading.refused.items()}
    )
    for each in brought:
        if reason := _refusal_reason(each, subject_matches[each.subject], provider_grant, name):
            resolution.refused.setdefault(each.path, []).append(reason)
    entries = [
        _resolved_event(call, each, subject_matches, provider_source)
        for each in reading.told
        if each.path not in resolution.refused
    ]
    polled = [each for each in reading.seen if each.path not in resolution.refused]
    entries += await _status_change_events(call, polled, subject_matches, provider_source) if polled else []
    await _set_outcomes(call, entries, resolution)
    return resolution


def _refusal_reason(
    told: ParsedEvent | PolledStatus, subject_match: SubjectMatch, provider_grant: ProviderGrant, name: str
) -> RefusalReason | None:
    source = told.event.source if isinstance(told, ParsedEvent) else told.source
    if reason := source_permissions.source_refusal(source, provider_grant, name, told.path):
        return reason
    return (
        None
        if subject_match.writable
        else RefusalReason(told.path, "ingest.not_carried", {"number": told.subject.names[0]})
    )


def _resolved_event(
    call: Call, told: ParsedEvent, subject_matches: dict[SubjectNames, SubjectMatch], provider_source: Source
) -> ResolvedEvent:
    subject_match = subject_matches[told.subject]
    event = outcomes.to_recorded_event(told, subject_match.number, provider_source.name or None, call.now)
    taken_back = (
        outcomes.to_recorded_correction(told.correction, event, subject_match.number) if told.correction else None
    )
    return ResolvedEvent(
        path=told.path, named=told.subject, subject_match=subject_match, event=event, correction=taken_back
    )


async def _status_change_events(
    call: Call, polled: list[PolledStatus], subject_matches: dict[SubjectNames, SubjectMatch], provider_source: Source
) -> list[ResolvedEvent]:
    """One event for each change of a status, at sources that show no more than their present one."""
    numbers = {
        subject_match.id: subject_match.number
        for each in polled
        if (subject_match := subject_matches[each.subject]).id is not None
    }
    rows = await store.list_event_documents(call.work, numbers.keys())
    told = [
        (order_key(event), event, numbers[row.subject_id]) for row in rows for event in [_decode_event(row.document)]
    ]
    latest = {
        (number, event.source.type, event.source.name or ""): event
        for _, event, number in sorted(told, key=itemgetter(0))
    }
    entries: list[ResolvedEvent] = []
    for each in polled:
        subject_match = subject_matches[each.subject]
        source = replace(each.source, name=each.source.name or provider_source.name, reference=UNSET)
        key = subject_match.number, source.type, source.name or ""
        event = _status_change_event(call, each, latest.get(key), source)
        entry = ResolvedEvent(
            path=each.path, named=each.subject, subject_match=subject_match, event=event or latest[key]
        )
        if event is None:
            entry.outcome, entry.fresh = IngestOutcome.DUPLICATE, False
        else:
            told = ParsedEvent(path=each.path, subject=each.subject, event=event)
            entry.event = latest[key] = outcomes.to_recorded_event(told, subject_match.number, None, call.now)
        entries.append(entry)
    return entries


def _status_change_event(
    call: Call, seen: PolledStatus, before: TrackingEvent | None, source: Source
) -> TrackingEvent | None:
    told = translate_carrier_status(source.name, seen.status, seen.subject.profile)
    event = synthesise_event(
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


async def _set_outcomes(call: Call, entries: list[ResolvedEvent], resolution: IngestResolution) -> None:
    """Set the outcome of every entry by what was told before, and by what stands before it in the document."""
    numbers = {
        entry.subject_match.id: entry.subject_match.number for entry in entries if entry.subject_match.id is not None
    }
    ids = numbers.keys()
    rows = await store.list_recorded_events(call.work, ids, {entry.event.event_id for entry in entries}) if ids else []
    before = {(numbers[row.subject_id], row.event_id): (row.occurred_at, row.status_code) for row in rows}
    declared = (
        await timelines.recorded_correction_ids(call.work, ids)
        if ids and any(each.correction for each in entries)
        else set()
    )
    told_back = {(numbers[subject], id) for subject, id in declared}
    for path, group in groupby(entries, attrgetter("path")):
        together = list(group)
        if reasons := list(_content_conflicts(path, together, before)):
            resolution.refused.setdefault(path, []).extend(reasons)
            continue
        for entry in together:
            _set_outcome(entry, before, told_back)
        resolution.entries += together


def _content_conflicts(
    path: str, entries: Iterable[ResolvedEvent], before: dict[tuple[str, str], OccurrenceContent]
) -> Iterable[RefusalReason]:
    for entry in entries:
        known = before.get((entry.subject_match.number, entry.event.event_id))
        if (
            entry.fresh
            and not entry.correction
            and outcomes.decide_outcome(entry.event, known) is IngestOutcome.REFUSED
        ):
            said = entry.event.source.reference or entry.event.event_id
            yield RefusalReason(path, "ingest.event_differs", {"event_id": said, "number": entry.subject_match.number})


def _set_outcome(
    entry: ResolvedEvent, before: dict[tuple[str, str], OccurrenceContent], declared: set[tuple[str, str]]
) -> None:
    key = entry.subject_match.number, entry.event.event_id
    entry.fresh = entry.fresh and key not in before
    before.setdefault(key, outcomes.occurrence_content(entry.event))
    entry.outcome = IngestOutcome.ACCEPTED if entry.fresh else IngestOutcome.DUPLICATE
    if entry.correction:
        declaration = entry.subject_match.number, outcomes.correction_id(entry.correction)
        entry.outcome = IngestOutcome.DUPLICATE if declaration in declared else IngestOutcome.CORRECTED
        declared.add(declaration)
