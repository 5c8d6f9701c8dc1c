"""Writing what was resolved: a constant number of statements, however many events there are."""

from haulier.contexts.tracking.events import OrderJourneysChanged, TrackingCorrected, TrackingUpdate
from haulier.contexts.tracking.ingest.actions.resolve import IngestResolution, ResolvedEvent
from haulier.contexts.tracking.ingest.actions.subjects import create_missing_subjects
from haulier.contexts.tracking.ingest.rules.outcomes import IngestOutcome
from haulier.contexts.tracking.ingest.rules.source_permissions import ends_journey
from haulier.contexts.tracking.timelines.actions import add_corrections, add_events, notify_followers, publish_updates
from haulier.contexts.tracking.timelines.rules import correction_id
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict


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
