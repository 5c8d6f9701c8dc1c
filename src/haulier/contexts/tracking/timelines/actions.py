"""Writes of timelines: events, numbers and viewers of subjects.

Every function uses a constant number of statements, whatever the number of records.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from haulier.contexts.otep.public import (
    Correction,
    DeliveryOutcome,
    EventActor,
    IncidentReason,
    Location,
    ProofOfDelivery,
    Source,
    TrackingEvent,
    phase_of_code,
    resolve_status,
)
from haulier.contexts.tracking.events import ParcelsReported, TrackingCorrected, TrackingRecorded, TrackingUpdate
from haulier.contexts.tracking.timelines.rules import (
    TRACKING_CHANNEL,
    TRACKING_NUMBER_TAKEN,
    correction_id,
    make_event_id,
    make_number_key,
)
from haulier.contexts.tracking.timelines.store import events as events_store
from haulier.contexts.tracking.timelines.store import subjects as subject_store
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork

OWN_SOURCE_TYPE = "self_delivery"
ANNOUNCED_PHASE = "pre_shipment"
"""Phase of a parcel that has not been handed over yet."""


class NewEvent(Struct, frozen=True, kw_only=True):
    """An event of a tracked subject.

    `reference` is the source's id, which finds repeats.
    """

    tracking_number: str
    status_code: str
    occurred_at: datetime
    order_id: int | None = None
    package_id: int | None = None
    location: Location | None = None
    incident_reason: IncidentReason | None = None
    actor: EventActor | None = None
    pod: ProofOfDelivery | None = None
    outcome: DeliveryOutcome | None = None
    source: Source = Source(type=OWN_SOURCE_TYPE)
    reference: str | None = None
    raw_status: str | None = None
    profile: str = "parcel"
    order_ref: str | None = None
    extensions: Mapping[str, Any] | None = None


async def record_events(call: Call, new_events: Sequence[NewEvent]) -> None:
    """Add events to timelines, creating new subjects. Repeats are skipped.

    Raises `TRACKING_NUMBER_TAKEN` if another client tracks under the number.
    """
    ids = await subject_store.lock_subject_ids(call.work, {each.tracking_number for each in new_events})
    await _record_events(call, new_events, ids)


async def begin_timelines(call: Call, new_events: Sequence[NewEvent]) -> None:
    """Add events for new numbers. Existing records are read only on a conflict."""
    await _record_events(call, new_events, {})


async def _record_events(call: Call, new_events: Sequence[NewEvent], known: Mapping[str, int]) -> None:
    """Add events to timelines. `known` are existing subjects by number."""
    if not new_events:
        return
    ids, new_ids = await _ensure_subjects(call, new_events, known)
    built = {
        (ids[new_event.tracking_number], event.event_id): (event, new_event)
        for new_event in new_events
        for event in [_build_event(call, new_event)]
    }
    recorded = await events_store.list_recorded_events(call.work, [key for key in built if key[0] not in new_ids])
    known_keys = {(row.subject_id, row.event_id) for row in recorded}
    new = {key: pair for key, pair in built.items() if key not in known_keys}
    await events_store.insert_events(
        call.work, [(subject_id, event) for (subject_id, _), (event, _) in new.items()], new_subject_ids=new_ids
    )
    await publish_updates(call, [_tracking_update(event, new_event) for event, new_event in new.values()])


async def add_subjects(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Insert subjects. Return the ids of those with a free number, by number."""
    return await subject_store.insert_new_subjects(work, rows)


async def add_subject_aliases(work: UnitOfWork, subject_ids: Mapping[str, int]) -> None:
    """Add numbers to subjects.

    If a concurrent call wrote one of them, none is written.
    """
    await subject_store.insert_aliases(work, subject_ids)


async def add_events(
    work: UnitOfWork, events: Sequence[tuple[int, TrackingEvent]], *, new_subject_ids: Collection[int]
) -> dict[int, bool]:
    """Insert new events by subject id. Raises `UniqueConflict`.

    Returns the changed subjects, and whether each has a terminal event now, voided or not.
    """
    return await events_store.insert_events(work, events, new_subject_ids=new_subject_ids)


async def add_corrections(work: UnitOfWork, rows: Mapping[tuple[int, str], Correction], at: datetime) -> None:
    """Insert corrections by (subject id, correction id). Raises `UniqueConflict`."""
    await events_store.insert_corrections(work, rows, at)


async def void_events(
    call: Call, numbers: Collection[str], status_code: str, *, corrected_by: Sequence[NewEvent] = ()
) -> None:
    """Void events of subjects with a status. They stay in the timeline as voided.

    `corrected_by` are recorded events that replace them.
    """
    ids = await subject_store.lock_subject_ids(call.work, numbers)
    built = [(new_event.tracking_number, _build_event(call, new_event)) for new_event in corrected_by]
    by_number = {ids[number]: event.event_id for number, event in built if number in ids}
    known = await events_store.list_corrections(call.work, ids.values())
    voided = {(subject_id, correction.event_id) for subject_id, correction in known}
    corrections = [
        (
            subject_id,
            Correction(
                event_id=event.event_id,
                declared_at=call.now,
                reason="did_not_occur",
                corrective_event_ids=(by_number[subject_id],) if subject_id in by_number else UNSET,
                source=Source(type=OWN_SOURCE_TYPE),
            ),
        )
        for subject_id, event in await events_store.list_whole_events(call.work, ids.values())
        if event.status_code == status_code and (subject_id, event.event_id) not in voided
    ]
    rows = {(subject_id, correction_id(correction)): correction for subject_id, correction in corrections}
    await events_store.insert_corrections(call.work, rows, call.now)
    notify_followers(call, numbers)
    await call.publish(TrackingCorrected(tracking_numbers=tuple(sorted(numbers))))


async def publish_updates(call: Call, updates: Sequence[TrackingUpdate]) -> None:
    """Publish new events: to the live followers of a number, and as a domain event."""
    if updates:
        notify_followers(call, {update.tracking_number for update in updates})
        await call.publish(TrackingRecorded(updates=tuple(updates)))
    # Separate: each event costs a job, and most events are of orders, whose own context wrote them, or announce a
    # label.
    if others := tuple(update for update in updates if update.order_id is None and update.phase != ANNOUNCED_PHASE):
        await call.publish(ParcelsReported(updates=others))


def notify_followers(call: Call, numbers: Collection[str]) -> None:
    """Notify the live followers of these numbers, and drop cached answers about them."""
    if numbers:
        call.work.notify(TRACKING_CHANNEL, *sorted({make_number_key(number) for number in numbers}))


async def _ensure_subjects(
    call: Call, new_events: Sequence[NewEvent], known: Mapping[str, int]
) -> tuple[dict[str, int], set[int]]:
    """Return subject ids of events by number, and the new ones among them."""
    # Reversed: the first event of a new subject sets its profile and order, and the last entry of a dict wins.
    new = {
        new_event.tracking_number: new_event
        for new_event in reversed(new_events)
        if new_event.tracking_number not in known
    }
    rows = [{**asdict(new_event), "created_at": call.now} for new_event in new.values()]
    inserted = await subject_store.insert_new_subjects(call.work, rows)
    taken = new.keys() - inserted.keys()
    found = await subject_store.lock_subject_ids(call.work, taken)
    if conflicts := sorted(taken - found.keys()):
        raise TRACKING_NUMBER_TAKEN(tracking_number=conflicts[0])
    return {**known, **found, **inserted}, {*inserted.values()}


def _build_event(call: Call, new_event: NewEvent) -> TrackingEvent:
    registered = resolve_status(new_event.status_code, new_event.profile)
    code = registered.code if registered else new_event.status_code
    reported = new_event.source
    source = replace(
        reported, name=reported.name or UNSET, reference=new_event.reference or reported.reference or UNSET
    )
    return TrackingEvent(
        event_id=make_event_id(new_event.tracking_number, source, code, new_event.occurred_at),
        occurred_at=_local_time(call, new_event),
        recorded_at=call.now,
        status_code=code,
        phase=phase_of_code(code, new_event.profile),
        source=source,
        location=new_event.location or UNSET,
        incident_reason=new_event.incident_reason or UNSET,
        actor=new_event.actor or UNSET,
        pod=new_event.pod or UNSET,
        outcome=new_event.outcome or UNSET,
        raw_status=new_event.raw_status or UNSET,
        extensions=dict(new_event.extensions) if new_event.extensions else UNSET,
    )


def _local_time(call: Call, new_event: NewEvent) -> datetime:
    """Return the source's time; own UTC times in the business's time zone."""
    occurred_at = new_event.occurred_at
    is_own = not occurred_at.utcoffset() and new_event.source.type == OWN_SOURCE_TYPE and call.principal.business
    return call.local_time(occurred_at) if is_own else occurred_at


def _tracking_update(event: TrackingEvent, new_event: NewEvent) -> TrackingUpdate:
    return TrackingUpdate(
        tracking_number=new_event.tracking_number,
        event_id=event.event_id,
        status_code=event.status_code,
        phase=event.phase,
        occurred_at=new_event.occurred_at,
        order_id=new_event.order_id,
        package_id=new_event.package_id,
    )


async def link_tracking_number(
    call: Call,
    tracking_number: str,
    *,
    external: str | None = None,
    order_id: int | None = None,
    order_ref: str | None = None,
    package_id: int | None = None,
    sscc: str | None = None,
) -> None:
    """Set further numbers of a subject, creating it if it is new.

    Omitted values are kept. Raises `TRACKING_NUMBER_TAKEN` when another client tracks under the number, or another
    subject has the external one.
    """
    values = {"order_id": order_id, "order_ref": order_ref, "package_id": package_id, "external_number": external}
    values_given = {name: value for name, value in {**values, "sscc": sscc}.items() if value is not None}
    ids = await subject_store.lock_subject_ids(call.work, [tracking_number])
    if not ids:
        row = {"tracking_number": tracking_number, "profile": "parcel", "created_at": call.now, **values_given}
        ids = await subject_store.insert_subjects(call.work, [row])
    elif values_given:
        await subject_store.update_subjects(call.work, {"tracking_number": [tracking_number]}, **values_given)
    if tracking_number not in ids:
        raise TRACKING_NUMBER_TAKEN(tracking_number=tracking_number)
    for number in (external, sscc):
        if number and not await subject_store.insert_alias(call.work, ids[tracking_number], number):
            raise TRACKING_NUMBER_TAKEN(tracking_number=number)
    notify_followers(call, [tracking_number])


async def set_replaced_by(call: Call, new_numbers: Mapping[str, str]) -> None:
    """Set the numbers under which subjects continue."""
    for number, new_number in new_numbers.items():
        await subject_store.update_subjects(call.work, {"tracking_number": [number]}, replaced_by=new_number)
    notify_followers(call, new_numbers)


async def set_tracking_viewers(
    call: Call,
    order_ids: Collection[int],
    *,
    contractor_id: int | UnsetType | None = UNSET,
    driver_id: int | UnsetType | None = UNSET,
) -> None:
    """Set the contractor and driver who may see the timelines of orders.

    None removes one; unset keeps it.
    """
    values = {"contractor_id": contractor_id, "driver_id": driver_id}
    changes = {name: value for name, value in values.items() if value is not UNSET}
    if changes and order_ids:
        await subject_store.update_subjects(call.work, {"order_id": order_ids}, **changes)


async def set_number_owner(
    call: Call,
    customer_id: int | None,
    *,
    order_ids: Collection[int] = (),
    shipped_numbers: Collection[str] = (),
    claimed_numbers: Collection[str] = (),
) -> None:
    """Set the customer who owns tracking numbers. The only place that writes an owner.

    Orders and shipments of the business decide. A claim only takes a number without an order and without an owner.
    """
    where = {"order_id": order_ids, "tracking_number": shipped_numbers}
    decided = {name: values for name, values in where.items() if values}
    if decided:
        await subject_store.set_owner(call.work, decided, customer_id, only_unowned=False)
    if claimed_numbers:
        keys = {"number_key": sorted({make_number_key(number) for number in claimed_numbers})}
        await subject_store.set_owner(call.work, keys, customer_id, only_unowned=True)


async def release_number(call: Call, tracking_number: str, customer_id: int) -> None:
    """Remove a customer as owner of a claimed number. Orders keep their numbers."""
    await subject_store.release_owner(call.work, make_number_key(tracking_number), customer_id)
