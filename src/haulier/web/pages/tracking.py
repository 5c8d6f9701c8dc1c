"""Public tracking page for recipients. Calls public operations only."""

from collections.abc import Callable, Iterator
from datetime import date
from itertools import groupby
from typing import Any
from urllib.parse import quote

from babel.dates import format_date, format_time
from msgspec import UNSET, Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.driver_app.delivery_pins.operations import show_delivery_pin
from haulier.contexts.otep.protocol.contract import OtepCodebook, OtepVersionRef
from haulier.contexts.otep.protocol.operations import get_otep_codebook
from haulier.contexts.otep.timeline.contract import Timeline, TrackingEvent
from haulier.contexts.recipients.deliveries.contract import DeliveryNotice
from haulier.contexts.tracking.timeline_queries.operations import otep_timeline
from haulier.kernel.application import Application
from haulier.kernel.values.geography import great_circle_m
from haulier.web.i18n import page_language
from haulier.web.module_pages import page_modules
from haulier.web.operations_client import Refused, call_operation, call_with_texts, read_form
from haulier.web.pages.brand_colours import brand_colour_routes
from haulier.web.pages.deliveries import delivery_routes, kept_by_nobody, load_delivery_view
from haulier.web.pages.live_map import live_map_routes, load_live_map
from haulier.web.pages.still_map import still_map
from haulier.web.rendering import render_page
from haulier.web.session import app_of

MAX_TRACKING_NUMBER_CHARACTERS = 100
EXPLAINED = frozenset({"on_hold", "cancelled", "returned", "rejected"})
"""Statuses with a sentence of their own."""
FAR_M = 30_000
"""Distance from which the places of a journey are shown on a map of the country."""


class TrackingStage(Struct, frozen=True):
    """A phase of the journey: `done`, `now` or `ahead`, with its problem."""

    name: str
    state: str
    troubles: list[str]


class TrackingLine(Struct, frozen=True):
    """One event as it is read."""

    time: str
    moment: str
    description: str
    place: str
    trouble: bool
    late: bool


class TrackingDay(Struct, frozen=True):
    """The events of one day."""

    name: str
    lines: list[TrackingLine]


def tracking_routes(app: Application) -> list[BaseRoute]:
    """Return the routes of `/track`, `/track/{number}` and `/track/{number}/pin`."""

    async def choose_number(request: Request) -> Response:
        number = request.query_params.get("number", "").strip()
        if number:
            language = request.query_params.get("lang")
            return RedirectResponse(
                f"/track/{quote(number[:MAX_TRACKING_NUMBER_CHARACTERS], safe='')}"
                + (f"?lang={language}" if language else "")
            )
        return render_page(
            request, "track_ask.html", number="", problem=None, t=_track_translator(app, page_language(request))
        )

    async def show(request: Request) -> Response:
        language, number = page_language(request), request.path_params["number"]
        t = _track_translator(app, language)
        result = await call_with_texts(request, otep_timeline, {"tracking_number": number})
        if isinstance(result, Refused):
            return not_shown(request, number, result)
        book = await call_operation(request, get_otep_codebook, OtepVersionRef())
        if isinstance(book, Refused):
            return not_shown(request, number, book)
        view = _timeline_view(app, language, result.answer.data, book.answer)
        delivery = await _load_recipient_view(request, number)
        view["explained"] = _explained(t, view["status"], delivery.get("notice"))
        response = render_page(
            request, "track.html", number=number, t=t, replaced_by=result.answer.replaced_by, **view, **delivery
        )
        if delivery.get("delivery"):
            response.headers["Cache-Control"] = "private, no-store"
        return response

    def not_shown(request: Request, number: str, refused: Refused) -> Response:
        problem = refused.message if refused.status != 404 else None
        t = _track_translator(app, page_language(request))
        return render_page(request, "track_ask.html", status_code=refused.status, number=number, problem=problem, t=t)

    return [
        Route("/track", choose_number),
        Route("/track/{number}", show),
        Route("/track/{number}/pin", request_pin_proof, methods=["GET"]),
        Route("/track/{number}/pin", submit_pin_proof, methods=["POST"]),
        *delivery_routes(),
        *live_map_routes(),
        *brand_colour_routes(),
    ]


def _explained(t: Callable[..., str], status: str | None, notice: DeliveryNotice | None) -> str | None:
    """Return a sentence about a status in which no delivery is promised."""
    return t(f"now_{status}", client=notice.business.name) if notice and status in EXPLAINED else None


async def _load_recipient_view(request: Request, number: str) -> dict[str, Any]:
    """Return the promise of a delivery and, once verified, its details."""
    view = {**await load_delivery_view(request, number), "chat_words": None, "live_map": None}
    if view.get("delivery"):
        notice: Any = view["notice"]
        view["live_map"] = await load_live_map(request) if notice.business.live_map else None
        for page in page_modules(app_of(request)):
            load = getattr(page, "load_delivery_part", None)
            view |= await load(request) if load else {}
    return view


async def request_pin_proof(request: Request) -> Response:
    """Ask for the proof that opens the PIN."""
    return _pin_page(request)


async def submit_pin_proof(request: Request) -> Response:
    """Show the PIN to a verified recipient."""
    proof = (await read_form(request)).get("proof", "")
    asked = {"tracking_number": request.path_params["number"], "proof": proof}
    result = await call_with_texts(request, show_delivery_pin, asked)
    if not isinstance(result, Refused):
        return _pin_page(request, pin=result.answer.pin)
    message = "pin_unproved" if result.status in {404, 422} else None
    return _pin_page(request, status_code=result.status, message=message, problem=result.message)


def _pin_page(
    request: Request,
    *,
    status_code: int = 200,
    pin: str | None = None,
    message: str | None = None,
    problem: str | None = None,
) -> Response:
    """Render the PIN page, which is never cached."""
    t, number = _track_translator(app_of(request), page_language(request)), request.path_params["number"]
    told = t(message) if message else problem
    return kept_by_nobody(
        render_page(request, "track_pin.html", status_code=status_code, number=number, pin=pin, problem=told, t=t)
    )


def _track_translator(app: Application, language: str) -> Callable[..., str]:
    def say(id: str, **params: Any) -> str:
        return app.catalogues.translate(language, f"track.{id}", **params)

    return say


def _timeline_view(app: Application, language: str, timeline: Timeline, book: OtepCodebook) -> dict[str, Any]:
    """Return the template values of a timeline."""
    wrong = {entry.code for entry in book.status_codes if entry.exception}
    messages = app.catalogues.words(language)
    status = timeline.current_status or None
    events = list(timeline.events)
    current = next((event for event in reversed(events) if not event.late), None)
    places = list(_tracking_places(events))
    return {
        "headline": current.description if current else messages["track.nothing_yet"],
        "status": status,
        "mood": "good" if timeline.delivered else "bad" if status in wrong else "",
        "stages": list(_tracking_stages(timeline, book, wrong)),
        "days": list(_tracking_days(language, reversed(events), wrong)),
        "places": places,
        "still": still_map(places) if _is_far(places) else None,
        "terminal": timeline.terminal,
    }


def _is_far(places: list[dict[str, Any]]) -> bool:
    """Return True if a map of the country shows more than one point."""
    ends = [(place["lat"], place["lng"]) for place in places]
    return any(great_circle_m(ends[0], each) > FAR_M for each in ends[1:])


def _tracking_stages(timeline: Timeline, book: OtepCodebook, wrong: set[str]) -> Iterator[TrackingStage]:
    """Return the phases of the journey, without past ones that no event reports."""
    rank = {phase.phase: phase.rank for phase in book.phases}
    reported = {event.phase for event in timeline.events if not event.late}
    reached = max((rank[phase] for phase in reported), default=-1)
    current = rank.get(timeline.current_phase or "", -1)
    for phase in book.phases:
        troubles = [e.description or "" for e in timeline.events if e.phase == phase.phase and e.status_code in wrong]
        is_past = phase.rank < current or timeline.delivered or (phase.rank < reached and phase.rank != current)
        if is_past and phase.phase not in reported:
            continue
        state = "done" if is_past else "now" if phase.rank == current else "ahead"
        yield TrackingStage(phase.description, state, list(dict.fromkeys(troubles)))


def _tracking_days(language: str, events: Iterator[TrackingEvent], wrong: set[str]) -> Iterator[TrackingDay]:
    locale = language.replace("-", "_")

    def day(event: TrackingEvent) -> date:
        return event.occurred_at.date()

    for date_of_day, day_events in groupby(events, key=day):
        lines = [_tracking_line(event, locale, wrong) for event in day_events]
        yield TrackingDay(format_date(date_of_day, "full", locale), lines)


def _tracking_line(event: TrackingEvent, locale: str, wrong: set[str]) -> TrackingLine:
    place = event.location
    parts = (place.city, place.region, place.country) if place else ()
    return TrackingLine(
        time=format_time(event.occurred_at.timetz(), "short", locale=locale),
        moment=event.occurred_at.isoformat(),
        description=event.description or "",
        place=", ".join(part for part in parts if part),
        trouble=event.status_code in wrong,
        late=bool(event.late),
    )


def _tracking_places(events: list[TrackingEvent]) -> Iterator[dict[str, Any]]:
    """The public places of the parcel in order; repeated ones are listed once."""
    before = None
    for event in events:
        place = event.location
        if place and place.lat is not UNSET and place.lng is not UNSET and (place.lat, place.lng) != before:
            before = place.lat, place.lng
            yield {"lat": place.lat, "lng": place.lng, "name": place.city or "", "what": event.description}
