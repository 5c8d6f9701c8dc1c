"""Locker pages for operators: a map of sites, and each site with compartments.

A stream sends changes, read once for all viewers of the same site. Scripts call operations by name with the session
cookie and its CSRF token; the operations enforce the rules.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from msgspec import json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.lockers.device_alarms.operations import list_device_alarms
from haulier.contexts.lockers.devices.operations import get_one_device, list_device_commands
from haulier.contexts.lockers.parcels.operations import list_locker_parcels, open_locker_box
from haulier.contexts.lockers.screens.operations import list_locker_screens
from haulier.contexts.lockers.sites.operations import (
    get_locker_site,
    list_locker_boxes,
    list_locker_sites,
    update_locker_box,
)
from haulier.contexts.lockers.stored.operations import otep_client_locker_storage
from haulier.kernel.application import Application
from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.endpoints import make_endpoint
from haulier.web.desk.live import stream_as_seen
from haulier.web.desk.pages import DeskRequest
from haulier.web.rendering import render_page
from haulier.web.script_calls import answer_script, script_words
from haulier.web.sse import Heard

LOCKERS_CHANNEL = "lockers"
"""The channel on which the database gives notice of whatever changes at the sites of a business."""
MAP_PAUSE_S = 5.0
"""At hundreds of sites something happens all the time."""
PER_PAGE, PAGES_MAX = 200, 25
SOON_HOURS, SOON_SHOWN = 24, 50
OF_A_MAP = ("id", "name", "address", "lat", "lng", "retired", "free", "boxes", "out_of_use")
OF_A_DEVICE = ("id", "name", "status", "last_seen_at")
OF_AN_ALARM = ("id", "device_id", "kind", "last_seen_at", "battery_pct")
OF_A_PARCEL = ("id", "status", "reference", "until")
LIVE_PARCELS = ("reserved", "deposited", "expired")
Told = dict[str, Any]

ALLOWED_OPERATIONS: dict[str, Operation[Any, Any]] = {
    operation.name: operation for operation in (list_device_commands, open_locker_box, update_locker_box)
}
"""Operations that the scripts of the pages may call."""


def module_routes(app: Application) -> list[BaseRoute]:
    """`/desk/lockers` and everything below it."""
    shown_by = partial(make_endpoint, app)
    return [
        Route("/desk/lockers", shown_by(locker_map_page), methods=["GET"]),
        Route("/desk/lockers/{site_id:int}", shown_by(locker_site_page), methods=["GET"]),
        Route("/desk/lockers/stream", shown_by(stream_locker_map), methods=["GET"]),
        Route("/desk/lockers/{site_id:int}/stream", shown_by(stream_locker_site), methods=["GET"]),
        Route("/desk/lockers/ask/{operation}", call_locker_operation, methods=["POST"]),
    ]


async def locker_map_page(desk: DeskRequest) -> Response:
    """The map of the sites, with how many boxes are free at each."""
    return _page(desk, "locker_map.html")


async def locker_site_page(desk: DeskRequest) -> Response:
    """Render a site: lockers with compartments, devices, screens and overdue parcels."""
    return _page(desk, "locker_site.html", site_id=desk.request.path_params["site_id"])


async def stream_locker_map(desk: DeskRequest) -> Response:
    """The sites with how many boxes are free at each, whenever that changes."""

    async def told() -> Told:
        return {"sites": [_some(each, OF_A_MAP) for each in await _all(desk, list_locker_sites, "sites")]}

    return await _stream(desk, told, MAP_PAUSE_S)


async def stream_locker_site(desk: DeskRequest) -> Response:
    """Stream a site with compartments, contents, devices and screens."""
    site_id = desk.request.path_params["site_id"]

    async def told() -> Told | None:
        found = await desk.read(get_locker_site, {"site_id": site_id})
        return found and await _site_summary(desk, found["site"])

    return await _stream(desk, told)


async def _site_summary(desk: DeskRequest, site: Told) -> Told:
    at = {"site_id": site["id"]}
    devices = dict.fromkeys(each["device_id"] for each in site["cabinets"] if each["device_id"])
    seen = [await desk.read(get_one_device, {"device_id": id}) for id in devices]
    soon = {**at, "expiring_hours": SOON_HOURS, "per_page": SOON_SHOWN}
    parcels = [
        _some(each, OF_A_PARCEL)
        for status in LIVE_PARCELS
        for each in await _all(desk, list_locker_parcels, "parcels", **at, status=status)
    ]
    return {
        "site": site,
        "boxes": await _all(desk, list_locker_boxes, "boxes", **at),
        "parcels": parcels,
        "devices": [_to_the_minute(_some(each["device"], OF_A_DEVICE)) for each in seen if each],
        "alarms": [
            _some(each, OF_AN_ALARM) for each in await _all(desk, list_device_alarms, "alarms", **at, status="raised")
        ],
        "soon": (await desk.read(otep_client_locker_storage, soon) or {}).get("items") or [],
        "screens": [_to_the_minute(each) for each in await _all(desk, list_locker_screens, "screens", **at)],
    }


async def _all(desk: DeskRequest, listing: Operation[Any, Any], name: str, **asked: Any) -> list[Told]:
    """All records of a list, page after page."""
    found: list[Told] = []
    for page in range(1, PAGES_MAX + 1):
        rows = (await desk.read(listing, {**asked, "page": page, "per_page": PER_PAGE}) or {}).get(name) or []
        found += rows
        if len(rows) < PER_PAGE:
            break
    return found


def _some(record: Mapping[str, Any], names: tuple[str, ...]) -> Told:
    return {name: record.get(name) for name in names}


def _to_the_minute(seen: Told) -> Told:
    """Return a time rounded to the minute, so that heartbeats cause no updates."""
    at = seen["last_seen_at"] and datetime.fromisoformat(seen["last_seen_at"])
    return {**seen, "last_seen_at": at and at.replace(second=0, microsecond=0).isoformat()}


async def _stream(desk: DeskRequest, told: Callable[[], Awaitable[Told | None]], pause_s: float = 1.0) -> Response:
    async def state() -> str | None:
        now = await told()
        return None if now is None else json.encode(now).decode()

    # Browsers reconnect to a stream that ended, but not to a missing one.
    if desk.session.account not in list_locker_sites.audience or await state() is None:
        return Response(status_code=404)
    heard = Heard(LOCKERS_CHANNEL, str(desk.session.client_id))
    return await stream_as_seen(desk, [heard], state, pause_s=pause_s)


async def call_locker_operation(request: Request) -> Response:
    """The answer of one operation, as JSON, for a script of a page of the session."""
    return await answer_script(request, ALLOWED_OPERATIONS.get(request.path_params["operation"]))


def _page(desk: DeskRequest, template: str, **values: Any) -> Response:
    if desk.session.account not in list_locker_sites.audience:
        title, text = desk.say("locker_page.title"), desk.say("locker_page.not_for_you")
        return render_page(desk.request, "notice.html", session=desk.session, status_code=403, title=title, text=text)
    return desk.page(template, page_words=script_words(desk.request, {"": "locker_page."}), **values)
