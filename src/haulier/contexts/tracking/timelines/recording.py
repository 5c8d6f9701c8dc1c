"""Writing down what happened: events, the numbers a subject goes by, and who may see all of it.

Every function takes a constant number of statements, however many records it is given.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from haulier.contexts.tracking.events import TrackingRecorded, TrackingUpdate
from haulier.contexts.tracking.otep.model import (
    Actor,
    Event,
    IncidentReason,
    Location,
    ProofOfDelivery,
    Source,
)
from haulier.contexts.tracking.otep.vocabulary import phase_of, resolve
from haulier.contexts.tracking.timelines import store
from haulier.contexts.tracking.timelines.rules import TRACKING_NUMBER_TAKEN, event_id
from haulier.kernel.call import Call

CHANNEL = "tracking"
"""On this channel the database gives notice of new events; the payload names their numbers, or `*` for too many."""
NOTICE_MAX = 4000
OURS = "self_delivery"


class Happening(Struct, frozen=True, kw_only=True):
    """Something that happened to a tracked subject. `reference` is the source's own name for it: the dedupe key."""

    tracking_number: str
    status_code: str
    occurred_at: datetime
    order_id: int | None = None
    package_id: int | None = None
    location: Location | None = None
    incident_reason: IncidentReason | None = None
    actor: Actor | None = None
    pod: ProofOfDelivery | None = None
    source: Source = Source(type=OURS)
    reference: str | None = None
    raw_status: str | None = None
    profile: str = "parcel"
    order_ref: str | None = None
    extensions: Mapping[str, Any] | None = None


async def record(call: Call, happenings: Sequence[Happening]) -> None:
    """Add events to timelines; a subject that is new is made. An event that is there already is not added again.

    Raises `TRACKING_NUMBER_TAKEN` when another client tracks under the number.
    """
    if not happenings:
        return
    ids = await _subjects(call, happenings)
    told = {
        (ids[happening.tracking_number], event.event_id): (event, happening)
        for happening in happenings
        for event in [_event(call, happening)]
    }
    there = await store.recorded(call.work, set(ids.values()), {event for _, event in told})
    new = {key: each for key, each in told.items() if key not in there}
    await store.add_events(call.work, [store.event_row(subject, event) for (subject, _), (event, _) in new.items()])
    await tell(call, [_update(*each) for each in new.values()])


async def tell(call: Call, updates: Sequence[TrackingUpdate]) -> None:
    """Let everyone know of new events: those who follow a number live, and those who subscribed."""
    if updates:
        give_notice(call, {update.tracking_number for update in updates})
        await call.announce(TrackingRecorded(updates=tuple(updates)))


def give_notice(call: Call, numbers: Collection[str]) -> None:
    """Wake whoever follows one of these numbers live, and let go of what was kept of them."""
    payload = " ".join(sorted(numbers))
    call.work.notify(CHANNEL, payload if len(payload) <= NOTICE_MAX else "*")


async def _subjects(call: Call, happenings: Sequence[Happening]) -> dict[str, int]:
    ids = await store.known(call.work, {happening.tracking_number for happening in happenings})
    new = {each.tracking_number: each for each in reversed(happenings) if each.tracking_number not in ids}
    if new:
        ids |= await store.add_subjects(call.work, [_subject(call, each) for each in new.values()])
    if taken := sorted(new.keys() - ids.keys()):
        raise TRACKING_NUMBER_TAKEN(tracking_number=taken[0])
    return ids


def _subject(call: Call, happening: Happening) -> dict[str, Any]:
    return {
        "tracking_number": happening.tracking_number,
        "profile": happening.profile,
        "order_id": happening.order_id,
        "order_ref": happening.order_ref,
        "package_id": happening.package_id,
        "created_at": call.now,
    }


def _event(call: Call, happening: Happening) -> Event:
    known = resolve(happening.status_code, happening.profile)
    code = known.code if known else happening.status_code
    said = happening.source
    source = replace(said, name=said.name or UNSET, reference=happening.reference or said.reference or UNSET)
    return Event(
        event_id=event_id(happening.tracking_number, source, code, happening.occurred_at),
        occurred_at=_told_at(call, happening),
        recorded_at=call.now,
        status_code=code,
        phase=phase_of(code, happening.profile),
        source=source,
        location=happening.location or UNSET,
        incident_reason=happening.incident_reason or UNSET,
        actor=happening.actor or UNSET,
        pod=happening.pod or UNSET,
        raw_status=happening.raw_status or UNSET,
        extensions=dict(happening.extensions) if happening.extensions else UNSET,
    )


def _told_at(call: Call, happening: Happening) -> datetime:
    """The time as its source tells it; our own, which comes without a place's offset, in the business's time zone."""
    at = happening.occurred_at
    ours = not at.utcoffset() and happening.source.type == OURS and call.principal.business
    return at.astimezone(call.time_zone) if ours else at


def _update(event: Event, happening: Happening) -> TrackingUpdate:
    return TrackingUpdate(
        tracking_number=happening.tracking_number,
        event_id=event.event_id,
        status_code=event.status_code,
        phase=event.phase,
        occurred_at=happening.occurred_at,
        order_id=happening.order_id,
        package_id=happening.package_id,
    )


async def link(
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
    ids = await store.known(call.work, [tracking_number])
    if not ids:
        row = {"tracking_number": tracking_number, "profile": "parcel", "created_at": call.now, **given}
        ids = await store.add_subjects(call.work, [row])
    elif given:
        await store.change_subjects(call.work, {"tracking_number": [tracking_number]}, **given)
    if tracking_number not in ids:
        raise TRACKING_NUMBER_TAKEN(tracking_number=tracking_number)
    for number in (external, sscc):
        if number and not await store.add_alias(call.work, ids[tracking_number], number):
            raise TRACKING_NUMBER_TAKEN(tracking_number=number)
    give_notice(call, [tracking_number])


async def set_viewers(
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
        await store.change_subjects(call.work, some, **given)
