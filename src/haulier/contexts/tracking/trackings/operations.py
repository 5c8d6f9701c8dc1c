"""Read timelines by the protocol."""

from datetime import datetime
from typing import Any

from haulier.contexts.tracking.otep.model import Timeline
from haulier.contexts.tracking.otep.projections import FORMATS, NATIVE
from haulier.contexts.tracking.otep.rules.identity import place, recorded
from haulier.contexts.tracking.timelines import store
from haulier.contexts.tracking.timelines.journeys import pulse
from haulier.contexts.tracking.timelines.reading import PUBLIC_READS, public, public_of_all, shown, subject, viewer
from haulier.contexts.tracking.timelines.recording import CHANNEL
from haulier.contexts.tracking.trackings.contract import (
    BatchEntry,
    ClientTracking,
    ClientTrackings,
    OtepBatch,
    OtepDocument,
    OtepEvents,
    OtepTimeline,
    ThisTracking,
    TrackingBatch,
    TrackingEvents,
    TrackingInFormat,
)
from haulier.kernel.call import Call
from haulier.kernel.declarations import SIGNED_IN, Account, Scope, Server
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault
from haulier.kernel.operation import Fingerprint, GraphQL, Heard, Limit, Live, Mcp, Offer, Rest, Variants, reads
from haulier.kernel.pages import cursor_after, key_of
from haulier.kernel.principal import NOBODY

CACHE_S = 15
BATCH_READS = (Limit(60, 60, ("address",)),)
OFFERS = tuple(Offer(each.media_type, each.name, each.profiles) for each in FORMATS.values())
EVENTS = "/v1/otep/trackings/{tracking_number}/events"
LIVE = Live(
    "/v1/otep/trackings/{tracking_number}/stream", CHANNEL, "tracking_number", "events", {"order": "recorded"}
)  # fmt: skip


async def changed(call: Call, request: ThisTracking) -> Fingerprint | None:
    """Whether something new was told of a number, without reading what."""
    row = await store.pulse(call.work, request.tracking_number)
    return pulse(row, row.events, row.recorded_at) if row else None


def projected(call: Call, timeline: Timeline, format: str) -> Any:
    """A timeline in one of its forms."""
    return timeline if format == NATIVE else FORMATS[format].project(timeline, call.house.base_url)


@reads(
    "otep_tracking",
    audience={Account.PUBLIC},
    doors=(
        Rest("GET", "/v1/otep/trackings/{tracking_number}", variants=Variants(OFFERS)),
        Mcp("otep_tracking", title="OTEP timeline"),
        Mcp("get_otep_tracking", servers=frozenset({Server.DEVELOPER}), title="OTEP timeline"),
    ),
    limits=PUBLIC_READS,
    errors=(NOT_FOUND,),
    fingerprint=changed,
    cache_s=CACHE_S,
    heard=Heard(CHANNEL, "tracking_number"),
)
async def otep_tracking(call: Call, request: TrackingInFormat) -> OtepDocument:
    """The unified timeline of a tracking number, in the OTEP protocol or in one of fourteen other forms.

    Callers who may see the order get everything; all others what a recipient's tracking page shows.
    """
    if _as_anyone(call, request.format) and (told := await public(call, request.tracking_number)):
        return OtepDocument(format=NATIVE, data=told)
    row = await subject(call, request.tracking_number)
    return OtepDocument(format=request.format, data=projected(call, shown(call, row), request.format))


def _as_anyone(call: Call, format: str) -> bool:
    """Whether what events show is what is asked for."""
    return format == NATIVE and call.principal is NOBODY


@reads(
    "otep_timeline",
    audience={Account.PUBLIC},
    doors=(GraphQL("otepTracking"),),
    limits=PUBLIC_READS,
    errors=(NOT_FOUND,),
)
async def otep_timeline(call: Call, request: ThisTracking) -> OtepTimeline:
    """The unified timeline of a tracking number in the OTEP protocol, each part typed.

    Callers who may see the order get everything; all others what a recipient's tracking page shows.
    """
    return OtepTimeline(data=shown(call, await subject(call, request.tracking_number)))


@reads(
    "otep_events",
    audience={Account.PUBLIC},
    doors=(Rest("GET", EVENTS, live=LIVE), GraphQL("otepEvents")),
    limits=PUBLIC_READS,
    errors=(NOT_FOUND,),
    fingerprint=changed,
    cache_s=CACHE_S,
)
async def otep_events(call: Call, request: TrackingEvents) -> OtepEvents:
    """The events of a tracking number, as a list that can be continued: what was recorded since, page by page.

    At `/stream` instead of `/events` new events are pushed as server-sent events.
    """
    timeline = shown(call, await subject(call, request.tracking_number))
    key = place if request.order == "occurred" else recorded
    found = sorted(timeline.events, key=key)
    if since := request.since:
        found = [event for event in found if event.recorded_at and event.recorded_at > since]
    if request.cursor:
        last = key_of(request.cursor, tuple[datetime, int, datetime, str])
        found = [event for event in found if key(event) > last]
    page = found[: request.limit]
    return OtepEvents(
        tracking_number=request.tracking_number,
        events=page,
        next_cursor=cursor_after(*key(page[-1])) if page else request.cursor,
        more=len(found) > len(page),
    )


@reads(
    "otep_trackings_batch",
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/otep/trackings/batch"), GraphQL("otepTrackings")),
    limits=BATCH_READS,
)
async def otep_trackings_batch(call: Call, request: TrackingBatch) -> OtepBatch:
    """The timelines of up to 200 numbers in one call. A number that nobody knows is reported and stops no other."""
    numbers = dict.fromkeys(request.tracking_numbers)
    told = await public_of_all(call, numbers) if _as_anyone(call, request.format) else {}
    others = [number for number in numbers if number not in told]
    rows = {row.tracking_number: row for row in await store.journeys_of_all(call.work, others)} if others else {}
    entries = [
        BatchEntry(tracking_number=number, found=True, data=told[number])
        if number in told
        else _entry(call, request, number, rows.get(number))
        for number in numbers
    ]
    return OtepBatch(format=request.format, found=len(told) + len(rows), trackings=entries)


def _entry(call: Call, request: TrackingBatch | ClientTracking, number: str, row: Any) -> BatchEntry:
    if row is None:
        message = call.say("tracking_not_found")
        return BatchEntry(tracking_number=number, found=False, code=NOT_FOUND.code, message=message)
    return BatchEntry(tracking_number=number, found=True, data=projected(call, shown(call, row), request.format))


@reads(
    "otep_client_tracking",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    doors=(
        Rest("GET", "/v1/otep/client/trackings"),
        Mcp("otep_client_tracking", title="OTEP timelines of an own order"),
    ),
    errors=(NOT_FOUND,),
)
async def otep_client_tracking(call: Call, request: ClientTracking) -> ClientTrackings:
    """The full timelines of one of the client's own orders or parcels, whichever number it is asked by.

    The office sees all of its client's; customers, contractors and drivers what is theirs.
    """
    asked = [name for name in ("tracking_number", "order_id", "order_ref") if getattr(request, name) is not None]
    if len(asked) != 1:
        raise INVALID_REQUEST.at(Fault(asked[1] if asked else "tracking_number", "field.exactly_one_parcel"))
    numbers = [request.tracking_number] if request.tracking_number else []
    rows = await store.journeys(
        call.work,
        numbers=numbers,
        ids=(await store.subjects_called(call.work, numbers)).values(),
        order_ids=[request.order_id] if request.order_id else [],
        order_refs=[request.order_ref] if request.order_ref else [],
        viewer=viewer(call),
    )
    if not rows:
        raise NOT_FOUND()
    entries = [_entry(call, request, row.tracking_number, row) for row in rows]
    return ClientTrackings(format=request.format, trackings=entries)
