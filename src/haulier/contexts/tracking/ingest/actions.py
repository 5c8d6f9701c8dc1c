"""Writes of ingest for other families."""

import asyncio
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, groupby
from operator import attrgetter, itemgetter

from msgspec import UNSET, Struct, to_builtins
from msgspec.structs import replace

from haulier.contexts.otep.public import Correction, IncidentReason, Source, TrackingEvent, synthesise_event
from haulier.contexts.otep.public import timeline_order_key as order_key
from haulier.contexts.tracking.events import CarrierPushRefused, OrderJourneysChanged, TrackingCorrected, TrackingUpdate
from haulier.contexts.tracking.ingest import store
from haulier.contexts.tracking.ingest.rules import carrier_pushes
from haulier.contexts.tracking.ingest.rules import parsed as parsed_rules
from haulier.contexts.tracking.ingest.rules.carrier_pushes import (
    IngestOutcome,
    OccurrenceContent,
    native_of_push,
    not_understood,
    pushed_number,
    recognise_push,
    split_into_messages,
)
from haulier.contexts.tracking.ingest.rules.native_document import NOT_A_TIMELINE, translate_carrier_status
from haulier.contexts.tracking.ingest.rules.parsed import (
    DOCUMENT_MALFORMED,
    DUPLICATE_KEY,
    NOT_UTF8,
    NUMBER_MAX,
    NUMBER_TOO_LONG,
    TOO_COMPLEX,
    TOO_DEEP,
    ParsedDocument,
    ParsedEvent,
    PolledStatus,
    RefusalReason,
    SubjectNames,
    ends_journey,
    push_digest,
    read_json,
    refused_scans,
)
from haulier.contexts.tracking.timelines.actions import (
    add_corrections,
    add_events,
    add_subject_aliases,
    add_subjects,
    notify_followers,
    publish_updates,
)
from haulier.contexts.tracking.timelines.queries import (
    list_correction_ids,
    list_number_owners,
    list_recorded_events,
    list_whole_events,
    lock_subjects_by_number,
)
from haulier.contexts.tracking.timelines.rules import correction_id, make_number_key
from haulier.kernel.background.streams import FactStream
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict
from haulier.kernel.operations.declaration import RateLimit
from haulier.kernel.operations.errors import RATE_LIMITED, OperationError, record_not_found
from haulier.kernel.principal import ProviderGrant
from haulier.kernel.request_context import RequestContext


async def assign_carrier(call: Call, tracking_number: str, carrier: str) -> None:
    """Assign a subject of this client to a carrier, possibly after others.

    From then on only providers that represent one of its carriers may push events of it, and these may end its journey.
    Raises `NOT_FOUND`.
    """
    if not await assign_carrier_to_known(call, [tracking_number], carrier):
        raise record_not_found(tracking_number=tracking_number)


async def assign_carrier_to_known(call: Call, tracking_numbers: Collection[str], carrier: str) -> dict[str, int]:
    """Assign many numbers to a carrier. Return the subject ids of known numbers."""
    found = await lock_subjects_by_number(call.work, tracking_numbers)
    await store.insert_carrier_assignments(call.work, {row.id for row in found.values()}, carrier)
    return {number: row.id for number, row in found.items()}


PUSHES_STREAM = "tracking.pushes"


class PushingProvider(Struct, frozen=True, kw_only=True):
    """A provider's name and rights at the time of a push."""

    key_id: int
    name: str
    grant: ProviderGrant


class PushedEvents(Struct, frozen=True, kw_only=True):
    """Some events of a push."""

    push_id: str
    provider: PushingProvider
    events: list[ParsedEvent]


class QueuedEvents(Struct, frozen=True):
    """Events of a document that the stream accepted, by path."""

    push_id: str
    paths: Collection[str]


async def queue_events(
    call: Call, document: ParsedDocument, grant: ProviderGrant, provider: str
) -> QueuedEvents | None:
    """Queue the events of a document, or return None if none was queued.

    Events that can be rejected already stay with the caller, as do documents with current statuses: each is compared
    with the one before it, so they must keep their order.
    """
    if document.polled or not call.adapter(FactStream).keeps:
        return None
    refused = {event.path for event in document.events if _is_refused(call, event, grant, provider)}
    refused |= document.refused.keys()
    pusher = PushingProvider(key_id=call.principal.token_id or 0, name=provider, grant=grant)
    # A new id, not the call's: a repeated push must be processed again, and a broker drops equal messages.
    push_id = secrets.token_hex(8)
    messages = list(split_into_messages(event for event in document.events if event.path not in refused))
    pushes = (PushedEvents(push_id=push_id, provider=pusher, events=events) for events in messages)
    taken = await asyncio.gather(*(call.stream(PUSHES_STREAM, push) for push in pushes))
    kept = chain.from_iterable(events for events, is_taken in zip(messages, taken, strict=True) if is_taken)
    paths = {event.path for event in kept}
    return QueuedEvents(push_id, paths) if paths else None


def _is_refused(call: Call, event: ParsedEvent, grant: ProviderGrant, provider: str) -> bool:
    """Return True if an event is rejected whatever is recorded."""
    if parsed_rules.source_refusal(event.event.source, grant, provider, event.path):
        return True
    return not event.correction and parsed_rules.time_refusal(event.event, call.now, event.path) is not None


def without_queued(document: ParsedDocument, queued: QueuedEvents | None) -> ParsedDocument:
    """Return a document without the queued events."""
    if queued is None:
        return document
    return replace(document, events=[event for event in document.events if event.path not in queued.paths])


STORED_ERRORS = (
    NOT_A_TIMELINE,
    DOCUMENT_MALFORMED,
    DUPLICATE_KEY,
    NOT_UTF8,
    NUMBER_TOO_LONG,
    TOO_COMPLEX,
    TOO_DEEP,
)
"""Refusals of a whole document after which it is stored."""
STORED_BYTES_MAX = 262_144
"""Webhooks of carriers are smaller; a larger document is no webhook."""
STORED_A_DAY = RateLimit(1000, 86_400, ("key",))


async def report_refused_webhook(call: Call, body: bytes, refused: Mapping[str, Sequence[RefusalReason]]) -> None:
    """Publish the rejected events of a carrier's webhook, or its unknown event."""
    document = read_json(body)
    form, reason = recognise_push(document), not_understood(document)
    if form is None or not (refused or reason):
        return
    provider_id = call.principal.token_id or 0
    event = CarrierPushRefused(
        provider_id=provider_id,
        provider=call.principal.name or "",
        sender=form.sender,
        tracking_number=pushed_number(form, document)[:NUMBER_MAX],
        reasons=(to_builtins(reason),) if reason else (),
        push_id=push_digest(provider_id, body),
        pushed_at=call.now,
        document=body.decode(),
        scans=refused_scans(native_of_push(document), refused),
    )
    await call.publish(event)


async def store_unreadable_push(context: RequestContext, body: bytes, error: OperationError) -> None:
    """Publish an unreadable push in its own transaction: the call itself is rejected."""
    client_id, provider_id = context.principal.client_id, context.principal.token_id
    is_stored = error.error_type in STORED_ERRORS and 0 < len(body) <= STORED_BYTES_MAX
    if not is_stored or context.dry_run or client_id is None or provider_id is None:
        return
    try:
        await context.app.rate_limiter.consume(
            "ingest.unreadable", (STORED_A_DAY,), lambda _: provider_id, context.app.clock()
        )
    except OperationError as limited:
        if limited.error_type is not RATE_LIMITED:
            raise
        return
    async with context.app.database.write(client_id) as work:
        call = await call_as_system(context.app, client_id, work)
        event = CarrierPushRefused(
            provider_id=provider_id,
            provider=context.principal.name or "",
            reasons=(to_builtins(RefusalReason("$", error.error_type.id, dict(error.params))),),
            push_id=push_digest(provider_id, body),
            pushed_at=call.now,
            document=body.decode(errors="replace").replace("\x00", "\ufffd"),
            scans=(),
        )
        await call.publish(event)


class SubjectMatch(Struct, kw_only=True, eq=False):
    """A timeline match.

    `id` is None for a new one; `foreign` ones belong to another client. `carriers` are those assigned to it; empty if
    unknown.
    """

    number: str
    id: int | None = None
    foreign: bool = False
    carriers: frozenset[str] = frozenset()
    order_id: int | None = None
    package_id: int | None = None
    created: bool = False
    """True if the current document created it."""
    new_names: list[str] = []
    """Names that are not stored as its aliases yet."""


async def match_subjects(call: Call, subjects: Collection[SubjectNames]) -> dict[SubjectNames, SubjectMatch]:
    """Return the timelines of subjects; subjects with a common name share one."""
    names = {name for subject in subjects for name in subject.names}
    matches = await _known_subjects(call, names)
    owners = await list_number_owners(call.work, names - matches.keys())
    if call.client_id in owners.values():
        raise TransactionRetry  # a parallel call created it after it was looked up
    return {subject: _match_subject(subject, matches, owners) for subject in subjects}


async def _known_subjects(call: Call, names: set[str]) -> dict[str, SubjectMatch]:
    """Return the timelines that exist, by name."""
    rows = await lock_subjects_by_number(call.work, names)
    ids = {row.id for row in rows.values()}
    carriers = await store.carriers_by_subject(call.work, ids) if ids else {}
    matches = {
        row.id: SubjectMatch(
            number=row.tracking_number,
            id=row.id,
            carriers=frozenset(carriers.get(row.id, ())),
            order_id=row.order_id,
            package_id=row.package_id,
        )
        for row in rows.values()
    }
    return {name: matches[row.id] for name, row in rows.items()}


def _match_subject(subject: SubjectNames, matches: dict[str, SubjectMatch], owners: Collection[str]) -> SubjectMatch:
    """Return the timeline of a subject.

    All names of the subject are added to `matches`.
    """
    spellings = [spelling for name in subject.names for spelling in (name, make_number_key(name))]
    match = next((matches[spelling] for spelling in spellings if spelling in matches), None)
    if match is None:
        number = subject.names[0]
        match = matches[make_number_key(number)] = SubjectMatch(number=number, foreign=number in owners)
    for name in subject.names:
        if name not in matches and make_number_key(name) not in matches:
            match.new_names.append(name)
        matches.setdefault(name, match)
        matches.setdefault(make_number_key(name), match)
    return match


async def create_missing_subjects(
    call: Call, subject_matches: dict[SubjectNames, SubjectMatch], keys: Iterable[SubjectNames]
) -> None:
    """Create missing timelines of subjects, and insert further names of all."""
    # Reversed: the first of several subjects on a timeline counts, and the last entry of a dict wins.
    by_number = {subject_matches[names].number: names for names in reversed(list(dict.fromkeys(keys)))}
    rows = [
        _subject_row(call, number, names) for number, names in by_number.items() if subject_matches[names].id is None
    ]
    if rows:
        ids = await add_subjects(call.work, rows)
        if len(ids) < len(rows):
            raise TransactionRetry  # a parallel call took a number after it was looked up
        for match in subject_matches.values():
            if match.id is None:
                match.id = ids.get(match.number)
                match.created = True
    matches = [subject_matches[names] for names in by_number.values()]
    aliases = {name: match.id for match in matches if match.id is not None for name in match.new_names}
    if aliases:
        await add_subject_aliases(call.work, aliases)


def _subject_row(call: Call, number: str, names: SubjectNames) -> dict[str, object]:
    return {
        "tracking_number": number,
        "profile": names.profile,
        "external_number": names.external,
        "sscc": names.sscc,
        "created_at": call.now,
    }


class ResolvedEvent(Struct, kw_only=True):
    """An event on a timeline. `is_new`: not recorded before."""

    path: str
    names: SubjectNames
    subject_match: SubjectMatch
    event: TrackingEvent
    correction: Correction | None = None
    outcome: IngestOutcome = IngestOutcome.ACCEPTED
    is_new: bool = True


class IngestResolution(Struct):
    """Events to record, and rejected events with their reasons."""

    subject_matches: dict[SubjectNames, SubjectMatch]
    entries: list[ResolvedEvent]
    refused: dict[str, list[RefusalReason]]


async def resolve_document(
    call: Call, document: ParsedDocument, provider_grant: ProviderGrant, provider: str
) -> IngestResolution:
    """Resolve a document that a provider pushed; `provider` is its name."""
    default_source = parsed_rules.default_source(provider_grant, provider)
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
    if reason := parsed_rules.source_refusal(source, provider_grant, provider, parsed.path):
        return reason
    speakers = parsed_rules.speaks_for(source, provider_grant, provider)
    if match.foreign or not parsed_rules.may_write(speakers, match.carriers):
        return RefusalReason(parsed.path, "ingest.not_carried", {"number": parsed.subject.names[0]})
    if isinstance(parsed, ParsedEvent) and not parsed.correction:
        return parsed_rules.time_refusal(parsed.event, call.now, parsed.path)
    return None


def _without_foreign_ends(entries: list[ResolvedEvent], resolution: IngestResolution) -> list[ResolvedEvent]:
    """Return the events without foreign ends of own deliveries, which are rejected."""
    for entry in entries:
        match = entry.subject_match
        if not entry.correction and parsed_rules.is_end_of_own_delivery(entry.event, match.order_id, match.carriers):
            reason = RefusalReason(entry.path, "ingest.not_entrusted", {"number": match.number})
            resolution.refused.setdefault(entry.path, []).append(reason)
    return [entry for entry in entries if entry.path not in resolution.refused]


def _resolved_event(call: Call, parsed: ParsedEvent, match: SubjectMatch, default_source: Source) -> ResolvedEvent:
    event = carrier_pushes.to_recorded_event(parsed, match.number, default_source.name or None, call.now)
    correction = (
        carrier_pushes.to_recorded_correction(parsed.correction, event, match.number) if parsed.correction else None
    )
    return ResolvedEvent(
        path=parsed.path, names=parsed.subject, subject_match=match, event=event, correction=correction
    )


async def _status_change_events(
    call: Call, polled: list[PolledStatus], matches: dict[SubjectNames, SubjectMatch], default_source: Source
) -> list[ResolvedEvent]:
    """Return an event for each status change of sources without a history."""
    latest = await _latest_event_by_source(call, [matches[status.subject] for status in polled])
    entries: list[ResolvedEvent] = []
    for status in polled:
        match = matches[status.subject]
        source = replace(status.source, name=status.source.name or default_source.name, reference=UNSET)
        key = match.number, source.type, source.name or ""
        event = _status_change_event(call, status, latest.get(key), source)
        if event is not None:
            parsed = ParsedEvent(path=status.path, subject=status.subject, event=event)
            latest[key] = carrier_pushes.to_recorded_event(parsed, match.number, None, call.now)
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
    """Return the last event of each source by (number, source kind, source name)."""
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
    """Set the outcome of every entry from recorded and preceding events."""
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
        if carrier_pushes.decide_outcome(entry.event, recorded.get((number, event_id))) is IngestOutcome.REFUSED:
            shown_id = entry.event.source.reference or event_id
            yield RefusalReason(path, "ingest.event_differs", {"event_id": shown_id, "number": number})


def _set_outcome(
    entry: ResolvedEvent, recorded: dict[tuple[str, str], OccurrenceContent], declared: set[tuple[str, str]]
) -> None:
    key = entry.subject_match.number, entry.event.event_id
    entry.is_new = entry.is_new and key not in recorded
    recorded.setdefault(key, carrier_pushes.occurrence_content(entry.event))
    entry.outcome = IngestOutcome.ACCEPTED if entry.is_new else IngestOutcome.DUPLICATE
    if entry.correction:
        declaration = entry.subject_match.number, correction_id(entry.correction)
        entry.outcome = IngestOutcome.DUPLICATE if declaration in declared else IngestOutcome.CORRECTED
        declared.add(declaration)


async def persist_resolution(call: Call, resolution: IngestResolution) -> dict[int, bool]:
    """Create new timelines, add events and corrections, and publish them.

    Returns the subjects that got events, by id, and whether each has a terminal event now, voided or not.
    Raises `TransactionRetry` where a parallel call wrote one of them first.
    """
    await create_missing_subjects(call, resolution.subject_matches, [entry.names for entry in resolution.entries])
    new = [entry for entry in resolution.entries if entry.is_new]
    corrected = [entry for entry in resolution.entries if entry.outcome is IngestOutcome.CORRECTED]
    corrections = {
        (entry.subject_match.id or 0, correction_id(entry.correction)): entry.correction
        for entry in corrected
        if entry.correction
    }
    try:
        events = [(entry.subject_match.id or 0, entry.event) for entry in new]
        created = {entry.subject_match.id or 0 for entry in new if entry.subject_match.created}
        have_ends = await add_events(call.work, events, new_subject_ids=created)
        await add_corrections(call.work, corrections, call.now)
    except UniqueConflict:
        raise TransactionRetry from None
    await publish_updates(call, [_tracking_update(entry) for entry in new if entry.correction is None])
    if numbers := {entry.subject_match.number for entry in corrected}:
        notify_followers(call, numbers)
        await call.publish(TrackingCorrected(tracking_numbers=tuple(sorted(numbers))))
    ended = [entry for entry in new if entry.correction is None and ends_journey(entry.event)]
    matches = [entry.subject_match for entry in (*ended, *corrected)]
    if order_ids := {match.order_id for match in matches if match.order_id is not None}:
        await call.publish(OrderJourneysChanged(order_ids=tuple(sorted(order_ids))))
    return have_ends


def _tracking_update(entry: ResolvedEvent) -> TrackingUpdate:
    return TrackingUpdate(
        tracking_number=entry.subject_match.number,
        event_id=entry.event.event_id,
        status_code=entry.event.status_code,
        phase=entry.event.phase,
        occurred_at=entry.event.occurred_at,
        order_id=entry.subject_match.order_id,
        package_id=entry.subject_match.package_id,
    )
