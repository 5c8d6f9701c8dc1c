"""Track a parcel by its number; read operation events in full."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from haulier.contexts.tracking.otep.model import Event
from haulier.contexts.tracking.otep.rules.public import Describe
from haulier.contexts.tracking.timelines import store
from haulier.contexts.tracking.timelines.contract import (
    ASKED_MAX,
    GetOperationEvents,
    Journey,
    JourneyEvent,
    NotFoundHere,
    OperationEvents,
    TrackedSubject,
    TrackPackage,
)
from haulier.contexts.tracking.timelines.journeys import timeline_of
from haulier.contexts.tracking.timelines.reading import PUBLIC_READS, described, in_words, subject, viewer
from haulier.kernel.call import Call
from haulier.kernel.declarations import SIGNED_IN, Account, Scope, Server
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault
from haulier.kernel.operation import GraphQL, Mcp, Rest, reads

BOTH = frozenset(Server)


@reads(
    "track_package",
    audience={Account.PUBLIC},
    doors=(
        Rest("GET", "/v1/tracking/{number}"),
        GraphQL("trackingPublic"),
        Mcp("track_package", servers=BOTH, title="Track a parcel"),
    ),
    limits=PUBLIC_READS,
    errors=(NOT_FOUND,),
)
async def track_package(call: Call, request: TrackPackage) -> Journey:
    """Where a parcel is and what happened to it, in the caller's language. Anyone who knows the number may ask.

    The answer holds nothing personal: cities and countries, no streets, no names, no signature.
    """
    timeline = timeline_of(await subject(call, request.number))
    current, describe = timeline.current_status or None, in_words(call)
    return Journey(
        tracking_number=request.number,
        status=current,
        status_description=describe(current, timeline.current_phase or "") if current else None,
        phase=timeline.current_phase or None,
        delivered=timeline.delivered,
        terminal=timeline.terminal,
        events=list(_journey(timeline.events, describe)),
    )


def _journey(events: Iterable[Event], describe: Describe) -> Iterator[JourneyEvent]:
    """Events without anything personal."""
    for event in events:
        place = event.location
        yield JourneyEvent(
            occurred_at=event.occurred_at,
            status_code=event.status_code,
            phase=event.phase,
            description=describe(event.status_code, event.phase),
            city=place.city if place else UNSET,
            country=place.country if place else UNSET,
        )


@reads(
    "get_operation_events",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    doors=(
        Rest("POST", "/v1/tracking/operationevents"),
        GraphQL("trackingOperationevents"),
        Mcp("get_operation_events", servers=BOTH, title="Read operation events"),
    ),
)
async def get_operation_events(call: Call, request: GetOperationEvents) -> OperationEvents:
    """Everything that happened to some orders or parcels, in full.

    The office sees all of its client's; customers, contractors and drivers what is theirs. What is not found is listed.
    """
    _demand_some(request)
    called = await store.subjects_called(call.work, request.tracking_numbers)
    rows = await store.journeys(
        call.work,
        numbers=request.tracking_numbers,
        ids=called.values(),
        order_ids=request.order_ids,
        order_refs=request.order_refs,
        viewer=viewer(call),
    )
    trackings = [_tracked(call, request, row) for row in rows]
    return OperationEvents(trackings=trackings, errors=list(_missing(call, request, rows, called)))


def _demand_some(request: GetOperationEvents) -> None:
    asked = len(request.tracking_numbers) + len(request.order_ids) + len(request.order_refs)
    if asked == 0:
        raise INVALID_REQUEST.at(Fault("tracking_numbers", "field.missing"))
    if asked > ASKED_MAX:
        too_many = {"field_type": "List", "max_length": ASKED_MAX, "actual_length": asked}
        raise INVALID_REQUEST.at(Fault("tracking_numbers", "field.too_long", too_many))


def _tracked(call: Call, request: GetOperationEvents, subject: Any) -> TrackedSubject:
    timeline = described(call, timeline_of(subject))
    if since := request.since:
        newer = (event for event in timeline.events if event.recorded_at and event.recorded_at > since)
        timeline = replace(timeline, events=tuple(newer))
    return TrackedSubject(
        tracking_number=subject.tracking_number,
        order_id=subject.order_id,
        order_ref=subject.order_ref,
        timeline=timeline,
    )


def _missing(
    call: Call, request: GetOperationEvents, rows: Sequence[Any], called: Mapping[str, int]
) -> Iterator[NotFoundHere]:
    message = call.say("tracking_not_found")
    ids = {row.id for row in rows}
    numbers = {row.tracking_number for row in rows} | {number for number, id in called.items() if id in ids}
    for number in dict.fromkeys(request.tracking_numbers):
        if number not in numbers:
            yield NotFoundHere(tracking_number=number, message=message)
    order_ids = {row.order_id for row in rows}
    for order_id in dict.fromkeys(request.order_ids):
        if order_id not in order_ids:
            yield NotFoundHere(order_id=order_id, message=message)
    order_refs = {row.order_ref for row in rows}
    for order_ref in dict.fromkeys(request.order_refs):
        if order_ref not in order_refs:
            yield NotFoundHere(order_ref=order_ref, message=message)
