"""Writing down what happened: events, the numbers a subject goes by, and who may see all of it.

Every function takes a constant number of statements, however many records it is given.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from haulier.contexts.otep.public import (
    EventActor,
    IncidentReason,
    Location,
    ProofOfDelivery,
    Source,
    TrackingEvent,
    phase_of_code,
    resolve_status,
)
from haulier.contexts.tracking.events import TrackingRecorded, TrackingUpdate
from haulier.contexts.tracking.timelines import store
from haulier.contexts.tracking.timelines.rules import TRACKING_NUMBER_TAKEN, make_event_id
from haulier.kernel.call import Call

TRACKING_CHANNEL = "tracking"
"""On this channel the database gives notice of new events; the payload names their numbers, or `*` for too many."""
NOTICE_MAX = 4000
OWN_SOURCE_TYPE = "self_delivery"


class NewEvent(Struct, frozen=True, kw_only=True):
    """Something that happened to a tracked subject. `reference` is the source's own name for it: the dedupe key."""

    tracking_number: str
    status_code: str
    occurred_at: datetime
    order_id: int | None = None
    package_id: int | None = None
    location: Location | None = None
    incident_reason: IncidentReason | None = None
    actor: EventActor | None = None
    pod: ProofOfDelivery | None = None
    source: Source = Source(type=OWN_SOURCE_TYPE)
    reference: str | None = None
    raw_status: str | None = None
    profile: str = "parcel"
    order_ref: str | None = None
    extensions: Mapping[str, Any] | None = None


async def record_events(call: Call, new_events: Sequence[NewEvent]) -> None:
    """Add events to timelines; a subject that is new is made. An event that is there already is not added again.

    Raises `TRACKING_NUMBER_TAKEN` when another client tracks under the number.
    """
    if not new_events:
        return
    ids = await _ensure_subjects(call, new_events)
    told = {
        (ids[new_event.tracking_number], event.event_id): (event, new_event)
        for new_event in new_events
        for event in [_build_event(call, new_event)]
    }
    there = await store.recorded_event_ids(call.work, set(ids.values()), {event for _, event in told})
    new = {key: each for key, each in told.items() if key not in there}
    await store.insert_events(
        call.work, [store.to_event_row(subject, event) for (subject, _), (event, _) in new.items()]
    )
    await publish_updates(call, [_tracking_update(*each) for each in new.values()])


async def publish_updates(call: Call, updates: Sequence[TrackingUpdate]) -> None:
    """Let everyone know of new events: those who follow a number live, and those who subscribed."""
    if updates:
        notify_followers(call, {update.tracking_number for update in updates})
        await call.publish(TrackingRecorded(updates=tuple(updates)))


def notify_followers(call: Call, numbers: Collection[str]) -> None:
    """Wake whoever follows one of these numbers live, and let go of what was kept of them."""
    payload = " ".join(sorted(numbers))
    call.work.notify(TRACKING_CHANNEL, payload if len(payload) <= NOTICE_MAX else "*")


async def _ensure_subjects(call: Call, new_events: Sequence[NewEvent]) -> dict[str, int]:
    ids = await store.lock_subject_ids(call.work, {new_event.tracking_number for new_event in new_events})
    new = {each.tracking_number: each for each in reversed(new_events) if each.tracking_number not in ids}
    if new:
        ids |= await store.insert_subjects(call.work, [_subject_row(call, each) for each in new.values()])
    if taken := sorted(new.keys() - ids.keys()):
        raise TRACKING_NUMBER_TAKEN(tracking_number=taken[0])
    return ids


def _subject_row(call: Call, new_event: NewEvent) -> dict[str, Any]:
    return {
        "tracking_number": new_event.tracking_number,
        "profile": new_event.profile,
        "order_id": new_event.order_id,
        "order_ref": new_event.order_ref,
        "package_id": new_event.package_id,
        "created_at": call.now,
    }


def _build_event(call: Call, new_event: NewEvent) -> TrackingEvent:
    known = resolve_status(new_event.status_code, new_event.profile)
    code = known.code if known else new_event.status_code
    said = new_event.source
    source = replace(said, name=said.name or UNSET, reference=new_event.reference or said.reference or UNSET)
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
        raw_status=new_event.raw_status or UNSET,
        extensions=dict(new_event.extensions) if new_event.extensions else UNSET,
    )


def _local_time(call: Call, new_event: NewEvent) -> datetime:
    """The time as its source tells it; our own, which comes without a place's offset, in the business's time zone."""
    at = new_event.occurred_at
    ours = not at.utcoffset() and new_event.source.type == OWN_SOURCE_TYPE and call.principal.business
    return at.astimezone(call.time_zone) if ours else at


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
    """Say what else a subject is known by. The subject is made when it is new; what is not given stays.

    Raises `TRACKING_NUMBER_TAKEN` when another client tracks under the number, or another subject has the external one.
    """
    values = {"order_id": order_id, "order_ref": order_ref, "package_id": package_id, "external_number": external}
    given = {name: value for name, value in {**values, "sscc": sscc}.items() if value is not None}
    ids = await store.lock_subject_ids(call.work, [tracking_number])
    if not ids:
        row = {"tracking_number": tracking_number, "profile": "parcel", "created_at": call.now, **given}
        ids = await store.insert_subjects(call.work, [row])
    elif given:
        await store.update_subjects(call.work, {"tracking_number": [tracking_number]}, **given)
    if tracking_number not in ids:
        raise TRACKING_NUMBER_TAKEN(tracking_number=tracking_number)
    for number in (external, sscc):
        if number and not await store.insert_alias(call.work, ids[tracking_number], number):
            raise TRACKING_NUMBER_TAKEN(tracking_number=number)
    notify_followers(call, [tracking_number])


async def set_tracking_viewers(
    call: Call,
    *,
    order_ids: Collection[int] = (),
    tracking_numbers: Collection[str] = (),
    customer_id: int | UnsetType | None = UNSET,
    contractor_id: int | UnsetType | None = UNSET,
    driver_id: int | UnsetType | None = UNSET,
) -> None:
    """Say which users besides the office may see all of the timelines of some orders or numbers.

    None takes a viewer away; what is not given stays.
    """
    values = {"customer_id": customer_id, "contractor_id": contractor_id, "driver_id": driver_id}
    given = {name: value for name, value in values.items() if value is not UNSET}
    where = {"order_id": order_ids, "tracking_number": tracking_numbers}
    some = {name: named for name, named in where.items() if named}
    if given and some:
        await store.update_subjects(call.work, some, **given)
