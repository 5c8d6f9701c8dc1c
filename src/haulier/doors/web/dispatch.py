"""The dispatch board: a day's routes on a map and a timeline, where stops are dragged, routes built and drivers followed.

The page asks operations by their names, with the cookie of its session and the mark that only its own pages know. It
decides nothing: what may be done, and what a change would mean, the operations say.
"""

from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.doors.headers import Headers
from haulier.doors.web.asking import DOOR
from haulier.doors.web.following import follow
from haulier.doors.web.rendering import SAFE, page
from haulier.doors.web.session import Session, house_of, signed_in
from haulier.doors.web.signing_in import to_sign_in
from haulier.doors.web.words import language_of, speaker_of
from haulier.kernel import codec
from haulier.kernel.pipeline import Knock, Outcome, handle

BODY_MAX_BYTES = 65_536
DAY_CHANNEL, BUILD_CHANNEL = "dispatch", "haulier_build"
"""Where the database tells that something of a day, or of a build, has changed."""
ASKED = frozenset(
    {
        *("dispatch_board", "check_route_change", "planning_pool", "move_stops"),
        *("lock_stops", "unlock_stops", "lock_route", "unlock_route", "publish_route", "unpublish_route"),
        *("build_route", "get_route_build", "cancel_route_build", "commit_route_build"),
    }
)
"""What the page may ask for."""
WORDS = "dispatch_page."


def dispatch_pages() -> list[BaseRoute]:
    """`/dispatch` and what belongs to it."""
    return [
        Route("/dispatch", board, methods=["GET"]),
        Route("/dispatch/list", listed, methods=["GET"]),
        Route("/dispatch/stream", day_stream, methods=["GET"]),
        Route("/dispatch/builds/{build_id:int}/stream", build_stream, methods=["GET"]),
        Route("/dispatch/ask/{operation}", relay, methods=["POST"]),
    ]


async def board(request: Request) -> Response:
    """The page; its scripts fetch the day."""
    return await _shown(request, "dispatch.html", _nothing)


async def listed(request: Request) -> Response:
    """The same day to read: routes and stops one after the other, whole without scripts."""

    async def day_of(session: Session, day: date) -> Outcome:
        return await _ask(request, session, "dispatch_board", {"day": day})

    return await _shown(request, "dispatch_list.html", day_of)


async def relay(request: Request) -> Response:
    """The answer of one operation, as JSON, for a page of the session that asks."""
    session, name = await signed_in(request), request.path_params["operation"]
    if session is None:
        return _json({"message": speaker_of(request)("sign_in.again")}, 401)
    if name not in ASKED:
        return _json({"message": speaker_of(request)("not_found")}, 404)
    if not session.checked(request, {"csrf": request.headers.get("x-csrf")}):
        return _json({"message": speaker_of(request)("sign_in.again")}, 403)
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_MAX_BYTES:
            return Response(status_code=413)
    outcome = await _knock(request, session, name, body)
    return _json(outcome.error or outcome.answer, outcome.status, dict(outcome.headers))


async def day_stream(request: Request) -> Response:
    """Server-sent events: the routes of a day without their stops, and the drivers, whenever something changes."""
    session = await signed_in(request)
    if session is None:
        return Response(status_code=401)
    day = _day(request, session)

    async def state() -> str | None:
        seen = await _ask(request, session, "dispatch_board", {"day": day, "stops": False})
        return codec.encode(seen.answer).decode() if seen.error is None else None

    return await follow(house_of(request), DAY_CHANNEL, day.isoformat(), state)


async def build_stream(request: Request) -> Response:
    """Server-sent events: how far a build is, each time it has a better plan, and how it ended."""
    session, id = await signed_in(request), request.path_params["build_id"]
    if session is None:
        return Response(status_code=401)
    told: dict[str, Any] = {"cursor": None, "last": ""}

    async def state() -> str | None:
        found = await _ask(request, session, "get_route_build_steps", {"build_id": id, "cursor": told["cursor"]})
        if found.error is not None:
            return None
        answer: Any = found.answer
        told["cursor"] = answer.next_cursor
        for step in answer.steps[-1:]:
            told["last"] = json.encode({"state": step.state, "number": step.number, "score": step.score}).decode()
        return told["last"]

    return await follow(house_of(request), BUILD_CHANNEL, str(id), state)


async def _shown(
    request: Request, template: str, found: Callable[[Session, date], Awaitable[Outcome | None]]
) -> Response:
    session, say = await signed_in(request), speaker_of(request)
    if session is None:
        return to_sign_in(request)
    if session.account not in house_of(request).registry["dispatch_board"].audience:
        text = say(f"{WORDS}not_for_you")
        return page(request, "notice.html", session=session, status_code=403, title=say(f"{WORDS}title"), text=text)
    day = _day(request, session)
    outcome = await found(session, day)
    if outcome and outcome.error is not None:
        text = outcome.error["message"]
        return page(request, "notice.html", session=session, status_code=outcome.status, title="—", text=text)
    return page(
        request,
        template,
        session=session,
        day=day,
        before=day - timedelta(days=1),
        after=day + timedelta(days=1),
        words=_words(request),
        board=outcome and outcome.answer,
    )


async def _nothing(session: Session, day: date) -> None:
    return None


def _words(request: Request) -> dict[str, str]:
    """What the scripts say, with the places of its sentences left open."""
    say, known = speaker_of(request), house_of(request).catalogues.words(language_of(request))
    return {id.removeprefix(WORDS): say(id) for id in known if id.startswith(WORDS)}


def _day(request: Request, session: Session) -> date:
    """The day that the address names, else today where the business is."""
    try:
        return date.fromisoformat(request.query_params.get("day", ""))
    except ValueError:
        now: datetime = house_of(request).clock()
        return now.astimezone(ZoneInfo(session.time_zone)).date()


async def _ask(request: Request, session: Session, name: str, values: dict[str, Any]) -> Outcome:
    return await _knock(request, session, name, json.encode(values))


async def _knock(request: Request, session: Session, name: str, body: bytes) -> Outcome:
    """A call from the page. Its button is the confirmation; headers of other doors mean nothing here."""
    house, headers = house_of(request), Headers.of(request.scope)
    knock = Knock(
        operation=house.registry[name],
        door=DOOR,
        request_id=headers.request_id,
        body=body,
        token=session.token,
        accept_language=language_of(request),
        address=headers.address,
        agent=headers.agent,
        confirmed=True,
    )
    return await handle(house, knock)


def _json(said: Any, status: int, headers: dict[str, str] | None = None) -> Response:
    words = {**SAFE, **(headers or {}), "Cache-Control": "no-store"}
    return Response(codec.encode(said), status, words, media_type="application/json")
