"""The outcome of each event of a document, resolved in a constant number of statements; nothing is written here."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter, itemgetter

from msgspec import UNSET, Struct
from msgspec.structs import replace

from haulier.contexts.otep.public import Correction, IncidentReason, Source, TrackingEvent, synthesise_event
from haulier.contexts.otep.public import timeline_order_key as order_key
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
from haulier.contexts.tracking.timelines.queries import list_correction_ids, list_recorded_events, list_whole_events
from haulier.contexts.tracking.timelines.rules import correction_id
from haulier.kernel.call import Call
from haulier.kernel.principal import ProviderGrant


class ResolvedEvent(Struct, kw_only=True):
    """One event on one timeline. `is_new`: it was not recorded before, though it may be voided at once."""

    path: str
    names: SubjectNames
    subject_match: SubjectMatch
    event: TrackingEvent
    correction: Correction | None = None
    outcome: IngestOutcome = IngestOutcome.ACCEPTED
    is_new: bool = True


class IngestResolution(Struct):
    """What is to be written, and the refused events with their reasons."""

    subject_matches: dict[SubjectNames, SubjectMatch]
    entries: list[ResolvedEvent]
    refused: dict[str, list[RefusalReason]]


async def resolve_document(
    call: Call, document: ParsedDocument, provider_grant: ProviderGrant, provider: str
) -> IngestResolution:
    """Resolve a document that a provider pushed; `provider` is its name."""
    default_source = source_permissions.default_source(provider_grant, provider)
    parsed = [*document.events, *document.polled]
    subjects = list(dict.fromkeys(entry.subject for entry in parsed))
    matches = await match_subjects(call, subjects) if subjects else {}
    resolution = IngestResolution(matches, [], {path: list(reasons) for path, reasons in document.refused.items()})
    for entry in parsed:
        if reason := _refusal_reason(call, entry, matches[entry.subject], provider_grant, provider):
            resolution.refused.setdefault(entry.path, []).append(reason)
    entries = [
        _resolved_event(call, parsed_event, matches[parsed_event.subject], default_source)
        for parsed_event in document.events
        if parsed_event.path not in resolution.refused
    ]
    polled = [status for status in document.polled if status.path not in resolution.refused]
    entries += await _status_change_events(call, polled, matches, default_source) if polled else []
    await _set_outcomes(call, _without_foreign_ends(entries, resolution), resolution)
    return resolution


def _refusal_reason(
    call: Call,
    parsed: ParsedEvent | PolledStatus,
    match: SubjectMatch,
    provider_grant: ProviderGrant,
    provider: str,
) -> RefusalReason | None:
    source = parsed.event.source if isinstance(parsed, ParsedEvent) else parsed.source
    if reason := source_permissions.source_refusal(source, provider_grant, provider, parsed.path):
        return reason
    speakers = source_permissions.speaks_for(source, provider_grant, provider)
    if match.foreign or not source_permissions.may_write(speakers, match.carriers):
        return RefusalReason(parsed.path, "ingest.not_carried", {"number": parsed.subject.names[0]})
    if isinstance(parsed, ParsedEvent) and not parsed.correction:
        return source_permissions.time_refusal(parsed.event, call.now, parsed.path)
    return None


def _without_foreign_ends(entries: list[ResolvedEvent], resolution: IngestResolution) -> list[ResolvedEvent]:
    """The events without those by which somebody else would end a delivery of the business's own; these are refused."""
    for entry in entries:
        match = entry.subject_match
        if not entry.correction and source_permissions.is_end_of_own_delivery(
            entry.event, match.order_id, match.carriers
        ):
            reason = RefusalReason(entry.path, "ingest.not_entrusted", {"number": match.number})
            resolution.refused.setdefault(entry.path, []).append(reason)
    return [entry for entry in entries if entry.path not in resolution.refused]


def _resolved_event(call: Call, parsed: ParsedEvent, match: SubjectMatch, default_source: Source) -> ResolvedEvent:
    event = outcomes.to_recorded_event(parsed, match.number, default_source.name or None, call.now)
    correction = outcomes.to_recorded_correction(parsed.correction, event, match.number) if parsed.correction else None
    return ResolvedEvent(
        path=parsed.path, names=parsed.subject, subject_match=match, event=event, correction=correction
    )


async def _status_change_events(
    call: Call, polled: list[PolledStatus], matches: dict[SubjectNames, SubjectMatch], default_source: Source
) -> list[ResolvedEvent]:
    """One event for each change of a status, of sources that show no more than the present one."""
    latest = await _latest_event_by_source(call, [matches[status.subject] for status in polled])
    entries: list[ResolvedEvent] = []
    for status in polled:
        match = matches[status.subject]
        source = replace(status.source, name=status.source.name or default_source.name, reference=UNSET)
        key = match.number, source.type, source.name or ""
        event = _status_change_event(call, status, latest.get(key), source)
        if event is not None:
            parsed = ParsedEvent(path=status.path, subject=status.subject, event=event)
            latest[key] = outcomes.to_recorded_event(parsed, match.number, None, call.now)
        entries.append(
            ResolvedEvent(
                path=status.path,
                names=status.subject,
                subject_match=match,
                event=latest[key],
                outcome=IngestOutcome.DUPLICATE if event is None else IngestOutcome.ACCEPTED,
                is_new=event is not None,
            )
        )
    return entries


async def _latest_event_by_source(
    call: Call, matches: Iterable[SubjectMatch]
) -> dict[tuple[str, str, str], TrackingEvent]:
    """The last event of each source on some timelines, by (number, kind of source, name of source)."""
    numbers = {match.id: match.number for match in matches if match.id is not None}
    recorded = [
        (order_key(event), numbers[subject_id], event)
        for subject_id, event in await list_whole_events(call.work, numbers.keys())
    ]
    return {
        (number, event.source.type, event.source.name or ""): event
        for _, number, event in sorted(recorded, key=itemgetter(0))
    }


def _status_change_event(
    call: Call, status: PolledStatus, before: TrackingEvent | None, source: Source
) -> TrackingEvent | None:
    translated = translate_carrier_status(source.name, status.status, status.subject.profile)
    event = synthesise_event(
        before.status_code if before else None,
        translated.status_code if translated else status.status,
        event_id="",
        occurred_at=call.now,
        source=source,
        profile=status.subject.profile,
        previous_phase=before.phase if before else None,
        raw_status=status.status if translated else None,
    )
    if event is None or translated is None or translated.incident_reason is None:
        return event
    return replace(event, incident_reason=IncidentReason(code=translated.incident_reason))


async def _set_outcomes(call: Call, entries: list[ResolvedEvent], resolution: IngestResolution) -> None:
    """Set the outcome of every entry by what was recorded before and what stands before it in the document."""
    numbers = {
        entry.subject_match.id: entry.subject_match.number for entry in entries if entry.subject_match.id is not None
    }
    keys = {(entry.subject_match.id, entry.event.event_id) for entry in entries if entry.subject_match.id is not None}
    rows = await list_recorded_events(call.work, keys)
    recorded = {(numbers[row.subject_id], row.event_id): (row.occurred_at, row.status_code) for row in rows}
    has_corrections = any(entry.correction for entry in entries)
    correction_ids = await list_correction_ids(call.work, numbers.keys()) if has_corrections else set[tuple[int, str]]()
    declared = {(numbers[subject_id], id) for subject_id, id in correction_ids}
    for path, group in groupby(entries, attrgetter("path")):
        same_event = list(group)
        if reasons := list(_content_conflicts(path, same_event, recorded)):
            resolution.refused.setdefault(path, []).extend(reasons)
            continue
        for entry in same_event:
            _set_outcome(entry, recorded, declared)
        resolution.entries += same_event


def _content_conflicts(
    path: str, entries: Iterable[ResolvedEvent], recorded: dict[tuple[str, str], OccurrenceContent]
) -> Iterable[RefusalReason]:
    for entry in entries:
        if not entry.is_new or entry.correction:
            continue
        number, event_id = entry.subject_match.number, entry.event.event_id
        if outcomes.decide_outcome(entry.event, recorded.get((number, event_id))) is IngestOutcome.REFUSED:
            shown_id = entry.event.source.reference or event_id
            yield RefusalReason(path, "ingest.event_differs", {"event_id": shown_id, "number": number})


def _set_outcome(
    entry: ResolvedEvent, recorded: dict[tuple[str, str], OccurrenceContent], declared: set[tuple[str, str]]
) -> None:
    key = entry.subject_match.number, entry.event.event_id
    entry.is_new = entry.is_new and key not in recorded
    recorded.setdefault(key, outcomes.occurrence_content(entry.event))
    entry.outcome = IngestOutcome.ACCEPTED if entry.is_new else IngestOutcome.DUPLICATE
    if entry.correction:
        declaration = entry.subject_match.number, correction_id(entry.correction)
        entry.outcome = IngestOutcome.DUPLICATE if declaration in declared else IngestOutcome.CORRECTED
        declared.add(declaration)
