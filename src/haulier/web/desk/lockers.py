"""Locker pages for staff: all lockers, a map of sites, and each site.

The page of a site shows the pictures of its lockers and the chosen compartment. Streams send what changes. Scripts call
operations by name with the session cookie and its CSRF token; the operations enforce the rules.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct, json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.lockers.cabinets.operations import get_locker_occupancy, list_locker_cabinets
from haulier.contexts.lockers.device_alarms.operations import list_device_alarms
from haulier.contexts.lockers.devices.operations import list_device_commands
from haulier.contexts.lockers.parcels.operations import get_locker_parcel, list_locker_parcels, open_locker_box
from haulier.contexts.lockers.screens.operations import list_locker_screens
from haulier.contexts.lockers.sites.operations import (
    add_locker_cabinet,
    create_locker_site,
    get_locker_site,
    list_locker_sites,
    update_locker_box,
)
from haulier.contexts.lockers.stored.operations import otep_client_locker_storage
from haulier.kernel.application import Application
from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.charts import BAR_SPACE, CHART_HEIGHT, BarParts, left_of, stack_parts
from haulier.web.desk.endpoints import make_endpoint
from haulier.web.desk.live import stream_as_seen, stream_part
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest, not_found
from haulier.web.desk.places import acts_on
from haulier.web.pages.value_formatter import parse_day
from haulier.web.rendering import render_page
from haulier.web.script_calls import answer_script, script_words
from haulier.web.sse import Heard

LOCKERS_CHANNEL = "lockers"
"""The channel on which the database gives notice of whatever changes at the sites of a business."""
MAP_PAUSE_S = 5.0
"""At hundreds of sites something happens all the time."""
LOCKERS, PER_PAGE, PAGES_MAX = "/desk/lockers", 200, 25
CARDS, CABINETS_MAX = 24, 200
SOON_HOURS, SOON_SHOWN, MOVED_SHOWN = 24, 20, 100
DOORS_SHOWN, EARLIER_SHOWN = 8, 5
ROWS = 12
"""Height of a column of compartments, in small ones."""
OF_A_MAP = ("id", "name", "address", "lat", "lng", "retired", "free", "boxes", "out_of_use")
USES = ("free", "rented", "reserved", "occupied", "overdue", "faulty", "disabled")
Values = dict[str, Any]

ALLOWED_OPERATIONS: dict[str, Operation[Any, Any]] = {
    operation.name: operation for operation in (list_device_commands, open_locker_box, update_locker_box)
}
"""Operations that the scripts of the pages may call."""


def module_routes(app: Application) -> list[BaseRoute]:
    """`/desk/lockers` and everything below it."""
    shown_by = partial(make_endpoint, app)
    return [
        Route("/desk/lockers", shown_by(lockers_page), methods=["GET"]),
        Route("/desk/lockers/map", shown_by(locker_map_page), methods=["GET"]),
        Route("/desk/lockers/{site_id:int}", shown_by(locker_site_page), methods=["GET"]),
        Route("/desk/lockers/stream", shown_by(stream_locker_map), methods=["GET"]),
        Route("/desk/lockers/live/{part}", shown_by(stream_lockers), methods=["GET"]),
        Route("/desk/lockers/ask/{operation}", call_locker_operation, methods=["POST"]),
    ]


class OccupancyBar(Struct, frozen=True, kw_only=True):
    """A day of the occupancy chart."""

    day: Any
    left: int
    parts: BarParts
    peak: int
    deposited: int
    taken_out: int


async def lockers_page(desk: DeskRequest) -> Response:
    """Show all lockers as small pictures with their free compartments and faults."""
    if (refused := _refused(desk)) is not None:
        return refused
    found = await load_lockers(desk)
    return desk.page(
        "desk_lockers.html",
        **found,
        **LOCKERS_PART.shown(desk, found),
        add=create_locker_site if desk.may(create_locker_site) else None,
        call=list_locker_cabinets,
        values={},
    )


async def load_lockers(desk: DeskRequest) -> dict[str, Any]:
    """Return a page of lockers with the counts of all that match."""
    search = desk.texts.get("search", [""])[-1].strip()
    attention = desk.texts.get("show", [""])[-1] == "attention"
    asked = {"search": search[:100]} if search else {}
    found = await desk.read_if_allowed(
        list_locker_cabinets, **asked, needs_attention=attention, page=desk.page_number, per_page=CARDS
    )
    return {
        "cabinets": found.get("cabinets") or [],
        "total": found.get("total", 0),
        "totals": found.get("totals") or dict.fromkeys(("boxes", *USES), 0),
        "offline": found.get("offline", 0),
        "searched": search,
        "attention": attention,
        "per_page": CARDS,
    }


async def locker_map_page(desk: DeskRequest) -> Response:
    """The map of the sites, with how many boxes are free at each."""
    refused = _refused(desk)
    return _scripted(desk, "locker_map.html") if refused is None else refused


async def locker_site_page(desk: DeskRequest) -> Response:
    """Render a site with its lockers and the chosen compartment."""
    if (refused := _refused(desk)) is not None:
        return refused
    found = await load_site(desk)
    if found is None:
        return not_found(desk)
    return _scripted(
        desk,
        "desk_locker_site.html",
        **found,
        **SITE_PART.shown(desk, found),
        add=add_locker_cabinet if desk.may(add_locker_cabinet) else None,
        call=get_locker_site,
        values={"site_id": found["site"]["id"]},
    )


async def load_site(desk: DeskRequest) -> dict[str, Any] | None:
    """Return what the page of a site shows, or None if there is no such site."""
    site_id = desk.request.path_params.get("site_id") or desk.number("site")
    found = await desk.read(get_locker_site, {"site_id": site_id}) if site_id else None
    if not found:
        return None
    at = {"site_id": found["site"]["id"]}
    cabinets = await desk.read_if_allowed(list_locker_cabinets, **at, retired=True, per_page=CABINETS_MAX)
    moved = await desk.read_if_allowed(list_locker_parcels, **at, day=str(desk.today), per_page=MOVED_SHOWN)
    alarms = await desk.read_if_allowed(list_device_alarms, **at, status="raised", per_page=PER_PAGE)
    soon = {**at, "expiring_hours": SOON_HOURS, "per_page": SOON_SHOWN}
    screens = await desk.read_if_allowed(list_locker_screens, **at, per_page=PER_PAGE)
    occupancy = await desk.read_if_allowed(get_locker_occupancy, **at)
    shown: Sequence[Values] = cabinets.get("cabinets") or []
    today = str(desk.today)
    return {
        "site": found["site"],
        "cabinets": shown,
        "totals": cabinets.get("totals") or {},
        "put_in": [each for each in moved.get("parcels") or [] if (each["deposited_at"] or "").startswith(today)],
        "taken_out": [each for each in moved.get("parcels") or [] if (each["ended_at"] or "").startswith(today)],
        "faults": [(each, box) for each in shown for box in each["boxes"] if box["state"] != "ready"],
        "alarms": alarms.get("alarms") or [],
        "soon": (await desk.read_if_allowed(otep_client_locker_storage, **soon)).get("items") or [],
        "screens": screens.get("screens") or [],
        "occupancy": occupancy,
        "bars": _bars(occupancy),
        "chart": (CHART_HEIGHT, BAR_SPACE),
        **await _chosen(desk, shown),
    }


def _bars(occupancy: Mapping[str, Any]) -> list[OccupancyBar]:
    days, boxes = occupancy.get("days") or [], occupancy.get("boxes") or 0
    highest = max([boxes, *(each["peak"] for each in days)])
    return [
        OccupancyBar(
            day=parse_day(each["day"]),
            left=left_of(at),
            parts=stack_parts([("good", each["peak"]), ("room", highest - each["peak"])], highest),
            **{name: each[name] for name in ("peak", "deposited", "taken_out")},
        )
        for at, each in enumerate(days)
    ]


async def _chosen(desk: DeskRequest, cabinets: Sequence[Values]) -> dict[str, Any]:
    """Return the compartment in the address with its parcels and doors."""
    asked = desk.texts.get("box", [""])[-1]
    pairs = ((each, box) for each in cabinets for box in each["boxes"] if str(box["id"]) == asked)
    cabinet, box = next(pairs, (None, None))
    if cabinet is None or box is None:
        return {"box": None}
    parcel = (
        await desk.read_if_allowed(get_locker_parcel, locker_parcel_id=box["parcel_id"]) if box["parcel_id"] else {}
    )
    doors = (
        await desk.read_if_allowed(
            list_device_commands, device_id=cabinet["device_id"], box_id=box["id"], per_page=DOORS_SHOWN
        )
        if cabinet["device_id"]
        else {}
    )
    earlier = await desk.read_if_allowed(list_locker_parcels, box_id=box["id"], per_page=EARLIER_SHOWN + 1)
    inside: Values = parcel.get("parcel") or {}
    return {
        "box": box,
        "cabinet": cabinet,
        "parcel": inside,
        "parcel_acts": _acts_of(desk, inside),
        "doors": doors.get("commands") or [],
        "earlier": [each for each in earlier.get("parcels") or [] if each["ended_at"]][:EARLIER_SHOWN],
        "may_open": desk.may(open_locker_box),
        "may_change": desk.may(update_locker_box),
    }


def _acts_of(desk: DeskRequest, parcel: Mapping[str, Any]) -> list[Operation[Any, Any]]:
    """Return the actions that a parcel allows. Actions of rentals are for tenants."""
    noun = desk.places.nouns.by_key.get("locker-parcels")
    own = acts_on(noun, desk.session) if noun and parcel else ()
    return [act for act in own if act.family == open_locker_box.family and act.is_allowed_by(parcel)]


async def stream_locker_map(desk: DeskRequest) -> Response:
    """The sites with how many boxes are free at each, whenever that changes."""

    async def state() -> str:
        sites = [{name: each.get(name) for name in OF_A_MAP} for each in await _all_sites(desk)]
        return json.encode({"sites": sites}).decode()

    # Browsers reconnect to a stream that ended, but not to a missing one.
    if desk.session.account not in list_locker_sites.audience:
        return Response(status_code=404)
    return await stream_as_seen(desk, _heard(desk), state, pause_s=MAP_PAUSE_S)


async def _all_sites(desk: DeskRequest) -> list[Values]:
    """All sites, page after page."""
    found: list[Values] = []
    for page in range(1, PAGES_MAX + 1):
        rows = (await desk.read(list_locker_sites, {"page": page, "per_page": PER_PAGE}) or {}).get("sites") or []
        found += rows
        if len(rows) < PER_PAGE:
            break
    return found


def _heard(desk: DeskRequest) -> Sequence[Heard]:
    return [Heard(LOCKERS_CHANNEL, str(desk.session.client_id))]


async def stream_lockers(desk: DeskRequest) -> Response:
    """The live part of a page of lockers, whenever it changes."""
    if desk.session.account not in list_locker_sites.audience:
        return Response(status_code=404)
    part = next((each for each in (LOCKERS_PART, SITE_PART) if each.name == desk.request.path_params["part"]), None)
    if part is SITE_PART and await load_site(desk) is None:
        return Response(status_code=404)
    return await stream_part(desk, part)


async def call_locker_operation(request: Request) -> Response:
    """The answer of one operation, as JSON, for a script of a page of the session."""
    return await answer_script(request, ALLOWED_OPERATIONS.get(request.path_params["operation"]))


def _refused(desk: DeskRequest) -> Response | None:
    """Return the page for callers who may not see lockers, or None."""
    if desk.session.account in list_locker_sites.audience:
        return None
    title, text = desk.say("locker_page.title"), desk.say("locker_page.not_for_you")
    return render_page(desk.request, "notice.html", session=desk.session, status_code=403, title=title, text=text)


def _scripted(desk: DeskRequest, template: str, **values: Any) -> Response:
    return desk.page(template, page_words=script_words(desk.request, {"": "locker_page."}), **values)


LOCKERS_PART = LivePart(
    name="lockers",
    template="desk_lockers_live.html",
    load=load_lockers,
    reads=(list_locker_cabinets,),
    about=("locker_site", "device"),
    also=_heard,
    pause_s=2.0,
    streamed_at=f"{LOCKERS}/live",
)
SITE_PART = LivePart(
    name="site",
    template="desk_locker_site_live.html",
    load=load_site,
    reads=(get_locker_site,),
    about=("locker_site", "locker_parcel", "device"),
    also=_heard,
    fixed=lambda found: {"site": str(found["site"]["id"])},
    streamed_at=f"{LOCKERS}/live",
)
