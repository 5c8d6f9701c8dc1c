"""Read timelines by the protocol."""

from datetime import datetime
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from haulier.contexts.otep.public import FORMATS, NATIVE_FORMAT, Timeline, recorded_order_key, timeline_order_key
from haulier.contexts.tracking.timeline_queries.contract import (
    ClientTrackings,
    GetClientTrackings,
    GetOtepTracking,
    GetOtepTrackingsBatch,
    ListOtepEvents,
    OtepBatch,
    OtepBatchEntry,
    OtepBatchError,
    OtepDocument,
    OtepEventList,
    OtepTimeline,
    TrackingRef,
)
from haulier.contexts.tracking.timelines.queries import (
    PUBLIC_CACHE_S,
    PUBLIC_READ_LIMITS,
    SubjectRow,
    find_timeline_fingerprint,
    get_public_timeline,
    get_tracked_subject,
    list_public_timelines,
    list_visible_subjects,
    tracked_subjects_by_number,
    visible_timeline,
)
from haulier.contexts.tracking.timelines.rules import TRACKING_CHANNEL, make_number_key
from haulier.kernel.call import Call
from haulier.kernel.operations.caching import Fingerprint, Http, InvalidatedBy
from haulier.kernel.operations.declaration import (
    EventStream,
    GraphQL,
    Mcp,
    RateLimit,
    Representation,
    Representations,
    Rest,
    reads,
)
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, McpServer, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.principal import ANONYMOUS
from haulier.kernel.values.pagination import make_cursor, parse_cursor

BATCH_READ_LIMITS = (RateLimit(60, 60, ("address",)),)
FORMAT_REPRESENTATIONS = tuple(
    Representation(format.media_type, format.name, format.profiles) for format in FORMATS.values()
)
EVENTS_PATH = "/v1/otep/trackings/{tracking_number}/events"
EVENTS_STREAM = EventStream(
    "/v1/otep/trackings/{tracking_number}/stream",
    TRACKING_CHANNEL,
    "tracking_number",
    "events",
    {"order": "recorded", "format": NATIVE_FORMAT},
    make_number_key,
)


async def tracking_fingerprint(call: Call, request: TrackingRef) -> Fingerprint | None:
    """Return a fingerprint that changes with the timeline, without reading its events."""
    return await find_timeline_fingerprint(call, request.tracking_number)


def project_timeline(call: Call, timeline: Timeline, format: str) -> Any:
    """Return a timeline in one of its formats."""
    return timeline if format == NATIVE_FORMAT else FORMATS[format].project(timeline, call.app.base_url)


@reads(
    "otep_tracking",
    audience={Account.PUBLIC},
    interfaces=(
        Rest("GET", "/v1/otep/trackings/{tracking_number}", representations=Representations(FORMAT_REPRESENTATIONS)),
        GraphQL("otepTrackingDocument"),
        Mcp("otep_tracking", title="Get an OTEP timeline"),
        Mcp("get_otep_tracking", servers=frozenset({McpServer.DEVELOPER}), title="Get an OTEP timeline"),
    ),
    limits=PUBLIC_READ_LIMITS,
    errors=(NOT_FOUND,),
    http=Http(
        fingerprint=tracking_fingerprint,
        cache_s=PUBLIC_CACHE_S,
        invalidated_by=InvalidatedBy(TRACKING_CHANNEL, "tracking_number", make_number_key, OFFICE),
    ),
)
async def otep_tracking(call: Call, request: GetOtepTracking) -> OtepDocument:
    """Get the unified timeline of a tracking number.

    In the OTEP protocol or in the format of another standard or platform. Callers who may see the order get everything;
    others get the contents of the recipient's tracking page.
    """
    if _is_public_read(call, request.format) and (timeline := await get_public_timeline(call, request.tracking_number)):
        return OtepDocument(format=NATIVE_FORMAT, data=timeline)
    row = await get_tracked_subject(call, request.tracking_number)
    return OtepDocument(format=request.format, data=project_timeline(call, visible_timeline(call, row), request.format))


def _is_public_read(call: Call, format: str) -> bool:
    """Return True if the precomputed public events are the answer."""
    return format == NATIVE_FORMAT and call.principal is ANONYMOUS


@reads(
    "otep_timeline",
    replica=True,
    audience={Account.PUBLIC},
    interfaces=(GraphQL("otepTracking"),),
    limits=PUBLIC_READ_LIMITS,
    errors=(NOT_FOUND,),
)
async def otep_timeline(call: Call, request: TrackingRef) -> OtepTimeline:
    """Get the typed timeline of a tracking number.

    In the OTEP protocol, with every part typed. Callers who may see the order get everything; others get the contents
    of the recipient's tracking page.
    """
    row = await get_tracked_subject(call, request.tracking_number)
    return OtepTimeline(data=visible_timeline(call, row), replaced_by=row.replaced_by)


@reads(
    "otep_events",
    audience={Account.PUBLIC},
    interfaces=(
        Rest(
            "GET",
            EVENTS_PATH,
            event_stream=EVENTS_STREAM,
            representations=Representations(FORMAT_REPRESENTATIONS, data_field="document"),
        ),
        GraphQL("otepEvents"),
    ),
    limits=PUBLIC_READ_LIMITS,
    errors=(NOT_FOUND,),
    http=Http(fingerprint=tracking_fingerprint, cache_s=PUBLIC_CACHE_S),
)
async def otep_events(call: Call, request: ListOtepEvents) -> OtepEventList:
    """List the events of a tracking number.

    The list can be continued page by page with events recorded since. Other formats contain the same events. `/stream`
    instead of `/events` pushes new events as server-sent events, always in the native form.
    """
    row = await get_tracked_subject(call, request.tracking_number)
    timeline = visible_timeline(call, row)
    key = timeline_order_key if request.order == "occurred" else recorded_order_key
    events = sorted(timeline.events, key=key)
    if since := request.since:
        events = [event for event in events if event.recorded_at and event.recorded_at > since]
    if request.cursor:
        last = parse_cursor(request.cursor, tuple[datetime, int, datetime, str])
        events = [event for event in events if key(event) > last]
    page = events[: request.limit]
    is_native = request.format == NATIVE_FORMAT
    return OtepEventList(
        format=request.format,
        tracking_number=row.tracking_number,
        events=[replace(event, subject=timeline.subject) for event in page] if is_native else [],
        data=UNSET if is_native else project_timeline(call, replace(timeline, events=tuple(page)), request.format),
        next_cursor=make_cursor(*key(page[-1])) if page else request.cursor,
        more=len(events) > len(page),
    )


@reads(
    "otep_trackings_batch",
    replica=True,
    audience={Account.PUBLIC},
    interfaces=(
        Rest(
            "POST",
            "/v1/otep/trackings/batch",
            query=("format",),
            representations=Representations(FORMAT_REPRESENTATIONS, data_field="documents"),
        ),
        GraphQL("otepTrackings"),
    ),
    limits=BATCH_READ_LIMITS,
)
async def otep_trackings_batch(call: Call, request: GetOtepTrackingsBatch) -> OtepBatch:
    """Get the timelines of up to 200 numbers.

    An unknown number is reported and does not stop the others. The format can be set in the body or in the query. If
    requested by an Accept header, the documents are sent alone, in the order of the numbers, with null for unknown
    ones.
    """
    numbers = dict.fromkeys(request.tracking_numbers)
    timelines = await list_public_timelines(call, numbers) if _is_public_read(call, request.format) else {}
    rows = await tracked_subjects_by_number(call, [number for number in numbers if number not in timelines])
    entries = [
        OtepBatchEntry(tracking_number=number, found=True, data=timelines[number])
        if number in timelines
        else _batch_entry(call, request, number, rows.get(number))
        for number in numbers
    ]
    missing = [entry for entry in entries if not entry.found]
    return OtepBatch(
        format=request.format,
        found=len(entries) - len(missing),
        trackings=entries,
        errors=[record(OtepBatchError, entry) for entry in missing],
    )


def _batch_entry(
    call: Call, request: GetOtepTrackingsBatch | GetClientTrackings, number: str, row: SubjectRow | None
) -> OtepBatchEntry:
    if row is None:
        message = call.translate("tracking_not_found")
        return OtepBatchEntry(tracking_number=number, found=False, code=NOT_FOUND.code, message=message)
    return OtepBatchEntry(
        tracking_number=number, found=True, data=project_timeline(call, visible_timeline(call, row), request.format)
    )


@reads(
    "otep_client_tracking",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", "/v1/otep/client/trackings"),
        Mcp("otep_client_tracking", title="Get the OTEP timelines of an order"),
    ),
    errors=(NOT_FOUND,),
)
async def otep_client_tracking(call: Call, request: GetClientTrackings) -> ClientTrackings:
    """Get the full timelines of an order.

    By any number of the order or its parcels. Staff see all of their client's; customers, contractors and drivers see
    their own.
    """
    names = [name for name in ("tracking_number", "order_id", "order_ref") if getattr(request, name) is not None]
    if len(names) != 1:
        raise INVALID_REQUEST.for_fields(
            FieldError(names[1] if names else "tracking_number", "field.exactly_one_parcel")
        )
    rows, _ = await list_visible_subjects(
        call,
        numbers=[request.tracking_number] if request.tracking_number else [],
        order_ids=[request.order_id] if request.order_id else [],
        order_refs=[request.order_ref] if request.order_ref else [],
    )
    if not rows:
        asked = request.model_dump(include={"tracking_number", "order_id", "order_ref"}, exclude_none=True)
        raise record_not_found(**asked)
    entries = [_batch_entry(call, request, row.tracking_number, row) for row in rows]
    return ClientTrackings(format=request.format, trackings=entries)
