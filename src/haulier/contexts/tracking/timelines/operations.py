"""Track a parcel by its number; read operation events in full."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from haulier.contexts.otep.public import DescribeStatus, TrackingEvent, describe_event
from haulier.contexts.tracking.timelines.contract import (
    SUBJECTS_ASKED_MAX,
    GetOperationEvents,
    OperationEvents,
    PackageTracking,
    PackageTrackingEvent,
    TrackedSubject,
    TrackingNotFound,
    TrackPackage,
)
from haulier.contexts.tracking.timelines.queries import (
    PUBLIC_CACHE_S,
    PUBLIC_READ_LIMITS,
    describe_timeline,
    find_timeline_fingerprint,
    get_tracked_subject,
    list_visible_subjects,
    status_describer,
)
from haulier.contexts.tracking.timelines.rules import TRACKING_CHANNEL, make_number_key
from haulier.contexts.tracking.timelines.serializers import timeline_and_fingerprint, timeline_from_row
from haulier.contexts.tracking.timelines.store.tables import SubjectRow
from haulier.kernel.call import Call
from haulier.kernel.operations.caching import Fingerprint, Http, InvalidatedBy
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, McpServer, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.records import record

BOTH_SERVERS = frozenset(McpServer)


async def _parcel_fingerprint(call: Call, request: TrackPackage) -> Fingerprint | None:
    return await find_timeline_fingerprint(call, request.number)


@reads(
    "track_package",
    replica=True,
    audience={Account.PUBLIC},
    interfaces=(
        Rest("GET", "/v1/tracking/{number}"),
        GraphQL("trackingPublic"),
        Mcp("track_package", servers=BOTH_SERVERS, title="Track a parcel"),
    ),
    limits=PUBLIC_READ_LIMITS,
    errors=(NOT_FOUND,),
    http=Http(
        fingerprint=_parcel_fingerprint,
        cache_s=PUBLIC_CACHE_S,
        invalidated_by=InvalidatedBy(TRACKING_CHANNEL, "number", make_number_key, OFFICE),
    ),
)
async def track_package(call: Call, request: TrackPackage) -> PackageTracking:
    """Track a parcel by its number.

    Returns its status and events in the caller's language. Anyone who knows the number can call it. The response has no
    personal data: cities and countries, but no streets, names or signatures.
    """
    row = await get_tracked_subject(call, request.number)
    timeline, call.fingerprint = timeline_and_fingerprint(row)
    current, describe = timeline.current_status or None, status_describer(call)
    return PackageTracking(
        tracking_number=row.tracking_number,
        status=current,
        status_description=describe(current, timeline.current_phase or "") if current else None,
        phase=timeline.current_phase or None,
        delivered=timeline.delivered,
        terminal=timeline.terminal,
        events=list(_public_events(timeline.events, describe)),
        replaced_by=row.replaced_by,
    )


def _public_events(events: Iterable[TrackingEvent], describe: DescribeStatus) -> Iterator[PackageTrackingEvent]:
    """Yield events without personal data."""
    for event in events:
        location = event.location
        yield PackageTrackingEvent(
            occurred_at=event.occurred_at,
            status_code=event.status_code,
            phase=event.phase,
            description=describe_event(describe, event, public=True),
            city=location.city if location else UNSET,
            country=location.country if location else UNSET,
        )


@reads(
    "get_operation_events",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("POST", "/v1/tracking/operationevents"),
        GraphQL("trackingOperationevents"),
        Mcp("get_operation_events", servers=BOTH_SERVERS, title="Get operation events"),
    ),
)
async def get_operation_events(call: Call, request: GetOperationEvents) -> OperationEvents:
    """Get all events of orders or parcels.

    Staff see all of their client's; customers, contractors and drivers see their own. Unknown identifiers are listed.
    """
    _require_subjects(request)
    rows, ids_by_alias = await list_visible_subjects(
        call, numbers=request.tracking_numbers, order_ids=request.order_ids, order_refs=request.order_refs
    )
    trackings = [_tracked_subject(call, request, row) for row in rows]
    return OperationEvents(trackings=trackings, errors=list(_not_found_entries(call, request, rows, ids_by_alias)))


def _require_subjects(request: GetOperationEvents) -> None:
    count = len(request.tracking_numbers) + len(request.order_ids) + len(request.order_refs)
    if count == 0:
        raise INVALID_REQUEST.for_fields(FieldError("tracking_numbers", "field.one_parcel_at_least"))
    if count > SUBJECTS_ASKED_MAX:
        too_many = {"field_type": "List", "max_length": SUBJECTS_ASKED_MAX, "actual_length": count}
        raise INVALID_REQUEST.for_fields(FieldError("tracking_numbers", "field.too_long", too_many))


def _tracked_subject(call: Call, request: GetOperationEvents, row: SubjectRow) -> TrackedSubject:
    timeline = describe_timeline(call, timeline_from_row(row))
    if since := request.since:
        newer = (event for event in timeline.events if event.recorded_at and event.recorded_at > since)
        timeline = replace(timeline, events=tuple(newer))
    return record(TrackedSubject, row, timeline=timeline)


def _not_found_entries(
    call: Call, request: GetOperationEvents, rows: Sequence[SubjectRow], ids_by_alias: Mapping[str, int]
) -> Iterator[TrackingNotFound]:
    message = call.translate("tracking_not_found")
    ids = {row.id for row in rows}
    keys = {make_number_key(row.tracking_number) for row in rows}
    for number in dict.fromkeys(request.tracking_numbers):
        if make_number_key(number) not in keys and ids_by_alias.get(number) not in ids:
            yield TrackingNotFound(tracking_number=number, message=message)
    order_ids = {row.order_id for row in rows}
    for order_id in dict.fromkeys(request.order_ids):
        if order_id not in order_ids:
            yield TrackingNotFound(order_id=order_id, message=message)
    order_refs = {row.order_ref for row in rows}
    for order_ref in dict.fromkeys(request.order_refs):
        if order_ref not in order_refs:
            yield TrackingNotFound(order_ref=order_ref, message=message)
