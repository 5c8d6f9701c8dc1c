"""The public tracking page: where a parcel is, for the person who waits for it. It reads what anybody may read."""

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

from haulier.doors.web.asking import ask
from haulier.doors.web.rendering import page
from haulier.doors.web.words import language_of
from haulier.kernel.house import House

NUMBER_MAX = 100


class Stage(Struct, frozen=True):
    """One phase on the line of the journey: `done`, `now` or `ahead`, with what went wrong in it."""

    name: str
    state: str
    troubles: list[str]


class Line(Struct, frozen=True):
    """One event as it is read."""

    time: str
    moment: str
    description: str
    place: str
    trouble: bool
    late: bool


class Day(Struct, frozen=True):
    """The events of one day."""

    name: str
    lines: list[Line]


def tracking_pages(house: House) -> list[BaseRoute]:
    """`/track` asks for a number, `/track/{number}` shows its journey."""

    async def asked_for(request: Request) -> Response:
        number = request.query_params.get("number", "").strip()
        if number:
            said = request.query_params.get("lang")
            return RedirectResponse(f"/track/{quote(number[:NUMBER_MAX], safe='')}" + (f"?lang={said}" if said else ""))
        return page(request, "track_ask.html", number="", problem=None, t=_speaker(house, language_of(request)))

    async def show(request: Request) -> Response:
        language, number = language_of(request), request.path_params["number"]
        t = _speaker(house, language)
        outcome = await ask(request, "otep_timeline", {"tracking_number": number})
        if outcome.error is not None:
            problem = outcome.error["message"] if outcome.status != 404 else None
            return page(request, "track_ask.html", status_code=outcome.status, number=number, problem=problem, t=t)
        book: Any = (await ask(request, "get_otep_codebook")).answer
        timeline: Any = outcome.answer.data  # type: ignore[union-attr]
        return page(request, "track.html", number=number, t=t, **_told(house, language, timeline, book))

    return [Route("/track", asked_for), Route("/track/{number}", show)]


def _speaker(house: House, language: str) -> Callable[..., str]:
    def say(id: str, **params: Any) -> str:
        return house.catalogues.say(language, f"track.{id}", **params)

    return say


def _told(house: House, language: str, timeline: Any, book: Any) -> dict[str, Any]:
    """What the page shows of a timeline."""
    wrong = {entry.code for entry in book.status_codes if entry.exception}
    words = house.catalogues.words(language)
    status = timeline.current_status or None
    events = list(timeline.events)
    current = next((event for event in reversed(events) if not event.late), None)
    return {
        "headline": current.description if current else words["track.nothing_yet"],
        "status": status,
        "mood": "good" if timeline.delivered else "bad" if status in wrong else "",
        "stages": list(_stages(timeline, book, wrong)),
        "days": list(_days(language, reversed(events), wrong)),
        "places": list(_places(events)),
        "terminal": timeline.terminal,
    }


def _stages(timeline: Any, book: Any, wrong: set[str]) -> Iterator[Stage]:
    """The six phases. What is behind the current one is done, even where nobody told of it."""
    rank = {phase.phase: phase.rank for phase in book.phases}
    reached = max((rank[event.phase] for event in timeline.events if not event.late), default=-1)
    here = rank.get(timeline.current_phase, -1)
    for phase in book.phases:
        troubles = [e.description for e in timeline.events if e.phase == phase.phase and e.status_code in wrong]
        done = phase.rank < here or timeline.delivered or (phase.rank < reached and phase.rank != here)
        state = "done" if done else "now" if phase.rank == here else "ahead"
        yield Stage(phase.description, state, list(dict.fromkeys(troubles)))


def _days(language: str, events: Iterator[Any], wrong: set[str]) -> Iterator[Day]:
    locale = language.replace("-", "_")

    def day(event: Any) -> date:
        return event.occurred_at.date()

    for when, told in groupby(events, key=day):
        yield Day(format_date(when, "full", locale), [_line(event, locale, wrong) for event in told])


def _line(event: Any, locale: str, wrong: set[str]) -> Line:
    place = event.location
    parts = (place.city, place.region, place.country) if place else ()
    return Line(
        time=format_time(event.occurred_at.timetz(), "short", locale=locale),
        moment=event.occurred_at.isoformat(),
        description=event.description,
        place=", ".join(part for part in parts if part),
        trouble=event.status_code in wrong,
        late=bool(event.late),
    )


def _places(events: list[Any]) -> Iterator[dict[str, Any]]:
    """Where the parcel was, as far as anybody may know, each place once in a row."""
    before = None
    for event in events:
        place = event.location
        if place and place.lat is not UNSET and place.lng is not UNSET and (place.lat, place.lng) != before:
            before = place.lat, place.lng
            yield {"lat": place.lat, "lng": place.lng, "name": place.city or "", "what": event.description}
