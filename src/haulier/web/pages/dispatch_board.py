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

from haulier.doors.request_headers import RequestHeaders
from haulier.kernel.operations import codec
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request
from haulier.web.i18n import page_language, page_translator
from haulier.web.operations_client import WEB_DOOR
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.rendering import PAGE_SECURITY_HEADERS, render_page
from haulier.web.session import WebSession, app_of, current_session
from haulier.web.sse import stream_states

MAX_BODY_BYTES = 65_536
DAY_CHANNEL, BUILD_CHANNEL = "dispatch", "haulier_build"
"""Where the database tells that something of a day, or of a build, has changed."""
ALLOWED_OPERATIONS = frozenset(
    {
        *("dispatch_board", "check_route_change", "planning_pool", "move_stops"),
        *("lock_stops", "unlock_stops", "lock_route", "unlock_route", "publish_route", "unpublish_route"),
        *("build_route", "get_route_build", "cancel_route_build", "commit_route_build"),
    }
)
"""What the page may ask for."""
MESSAGE_PREFIX = "dispatch_page."


def dispatch_routes() -> list[BaseRoute]:
    """`/dispatch` and what belongs to it."""
    return [
        Route("/dispatch", dispatch_board_page, methods=["GET"]),
        Route("/dispatch/list", dispatch_list_page, methods=["GET"]),
        Route("/dispatch/stream", day_stream, methods=["GET"]),
        Route("/dispatch/builds/{build_id:int}/stream", build_stream, methods=["GET"]),
        Route("/dispatch/ask/{operation}", call_board_operation, methods=["POST"]),
    ]


async def dispatch_board_page(request: Request) -> Response:
    """The page; its scripts fetch the day."""
    return await _dispatch_day_page(request, "dispatch.html", _no_outcome)


async def dispatch_list_page(request: Request) -> Response:
    """The same day to read: routes and stops one after the other, whole without scripts."""

    async def day_of(session: WebSession, day: date) -> OperationResult:
        return await _call_with_values(request, session, "dispatch_board", {"day": day})

    return await _dispatch_day_page(request, "dispatch_list.html", day_of)


async def call_board_operation(request: Request) -> Response:
    """The answer of one operation, as JSON, for a page of the session that asks."""
    session, name = await current_session(request), request.path_params["operation"]
    if session is None:
        return _json_response({"message": page_translator(request)("sign_in.again")}, 401)
    if name not in ALLOWED_OPERATIONS:
        return _json_response({"message": page_translator(request)("not_found")}, 404)
    if not session.is_genuine_form(request, {"csrf": request.headers.get("x-csrf")}):
        return _json_response({"message": page_translator(request)("sign_in.again")}, 403)
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return Response(status_code=413)
    outcome = await _call_with_body(request, session, name, body)
    return _json_response(outcome.error or outcome.answer, outcome.status, dict(outcome.headers))


async def day_stream(request: Request) -> Response:
    """Server-sent events: the routes of a day without their stops, and the drivers, whenever something changes."""
    session = await current_session(request)
    if session is None:
        return Response(status_code=401)
    day = _requested_day(request, session)

    async def state() -> str | None:
        seen = await _call_with_values(request, session, "dispatch_board", {"day": day, "stops": False})
        return codec.encode_json(seen.answer).decode() if seen.error is None else None

    return await stream_states(app_of(request), DAY_CHANNEL, day.isoformat(), state)


async def build_stream(request: Request) -> Response:
    """Server-sent events: how far a build is, each time it has a better plan, and how it ended."""
    session, id = await current_session(request), request.path_params["build_id"]
    if session is None:
        return Response(status_code=401)
    told: dict[str, Any] = {"cursor": None, "last": ""}

    async def state() -> str | None:
        found = await _call_with_values(
            request, session, "get_route_build_steps", {"build_id": id, "cursor": told["cursor"]}
        )
        if found.error is not None:
            return None
        answer: Any = found.answer
        told["cursor"] = answer.next_cursor
        for step in answer.steps[-1:]:
            told["last"] = json.encode({"state": step.state, "number": step.number, "score": step.score}).decode()
        return told["last"]

    return await stream_states(app_of(request), BUILD_CHANNEL, str(id), state)


async def _dispatch_day_page(
    request: Request, template: str, found: Callable[[WebSession, date], Awaitable[OperationResult | None]]
) -> Response:
    session, say = await current_session(request), page_translator(request)
    if session is None:
        return redirect_to_sign_in(request)
    if session.account not in app_of(request).registry["dispatch_board"].audience:
        text = say(f"{MESSAGE_PREFIX}not_for_you")
        return render_page(
            request, "notice.html", session=session, status_code=403, title=say(f"{MESSAGE_PREFIX}title"), text=text
        )
    day = _requested_day(request, session)
    outcome = await found(session, day)
    if outcome and outcome.error is not None:
        text = outcome.error["message"]
        return render_page(request, "notice.html", session=session, status_code=outcome.status, title="—", text=text)
    return render_page(
        request,
        template,
        session=session,
        day=day,
        before=day - timedelta(days=1),
        after=day + timedelta(days=1),
        words=_script_messages(request),
        board=outcome and outcome.answer,
    )


async def _no_outcome(session: WebSession, day: date) -> None:
    return None


def _script_messages(request: Request) -> dict[str, str]:
    """What the scripts say, with the places of its sentences left open."""
    say, known = page_translator(request), app_of(request).catalogues.words(page_language(request))
    return {id.removeprefix(MESSAGE_PREFIX): say(id) for id in known if id.startswith(MESSAGE_PREFIX)}


def _requested_day(request: Request, session: WebSession) -> date:
    """The day that the address names, else today where the business is."""
    try:
        return date.fromisoformat(request.query_params.get("day", ""))
    except ValueError:
        now: datetime = app_of(request).clock()
        return now.astimezone(ZoneInfo(session.time_zone)).date()


async def _call_with_values(
    request: Request, session: WebSession, name: str, values: dict[str, Any]
) -> OperationResult:
    return await _call_with_body(request, session, name, json.encode(values))


async def _call_with_body(request: Request, session: WebSession, name: str, body: bytes) -> OperationResult:
    """A call from the page. Its button is the confirmation; headers of other doors mean nothing here."""
    app, headers = app_of(request), RequestHeaders.of(request.scope)
    operation_request = OperationRequest(
        operation=app.registry[name],
        door=WEB_DOOR,
        request_id=headers.request_id,
        body=body,
        token=session.token,
        accept_language=page_language(request),
        address=headers.address,
        agent=headers.agent,
        confirmed=True,
    )
    return await handle_request(app, operation_request)


def _json_response(said: Any, status: int, headers: dict[str, str] | None = None) -> Response:
    words = {**PAGE_SECURITY_HEADERS, **(headers or {}), "Cache-Control": "no-store"}
    return Response(codec.encode_json(said), status, words, media_type="application/json")
