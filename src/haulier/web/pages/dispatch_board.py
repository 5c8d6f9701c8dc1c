"""Dispatch board: a day's routes on a map and timeline, with drag and drop.

Scripts call operations by name with the session cookie and its CSRF token. The operations enforce the rules and preview
each change.
"""

import hashlib
from collections.abc import Awaitable, Callable
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.dispatch.board.contract import GetDispatchBoard
from haulier.contexts.dispatch.board.operations import check_route_change, dispatch_board
from haulier.contexts.places.zone_maps.operations import draw_zones
from haulier.contexts.planning.builds.operations import (
    build_route,
    cancel_route_build,
    commit_route_build,
    get_route_build,
    get_route_build_steps,
)
from haulier.contexts.routes.pools.contract import GetPlanningPool
from haulier.contexts.routes.pools.operations import planning_pool
from haulier.contexts.routes.routes.operations.arrangement import move_stops
from haulier.contexts.routes.routes.operations.execution import reopen_stop
from haulier.contexts.routes.routes.operations.routes import (
    add_orders_to_route,
    assign_route_driver,
    create_route,
    lock_route,
    lock_stops,
    publish_route,
    remove_orders_from_route,
    unlock_route,
    unlock_stops,
    unpublish_route,
)
from haulier.kernel.data.notices import client_subject
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.pipeline.audit import RECORDS_CHANNEL
from haulier.web.i18n import page_translator
from haulier.web.operations_client import (
    Refused,
    call_operation,
    call_with_texts,
)
from haulier.web.pages.push_alerts import CHAT_PREFIX
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.rendering import render_page
from haulier.web.script_calls import answer_script, script_words
from haulier.web.session import WebSession, app_of, current_session
from haulier.web.sse import Heard, shared_state, stream_states

DAY_CHANNEL, BUILD_CHANNEL = "dispatch", "haulier_build"
"""The channels on which the database gives notice of changes of a day, and of a build."""
BOARD_OPERATIONS: tuple[Operation[Any, Any], ...] = (
    *(dispatch_board, check_route_change, planning_pool, move_stops),
    *(create_route, add_orders_to_route, remove_orders_from_route, assign_route_driver),
    reopen_stop,
    *(lock_stops, unlock_stops, lock_route, unlock_route, publish_route, unpublish_route),
    *(build_route, get_route_build, cancel_route_build, commit_route_build, draw_zones),
)
ALLOWED_OPERATIONS: dict[str, Operation[Any, Any]] = {operation.name: operation for operation in BOARD_OPERATIONS}
"""Operations that the page's scripts may call."""
WAITING_LISTED = 200
"""Maximum number of unplanned orders on the board."""
MESSAGE_PREFIX = "dispatch_page."
ShownDay = Callable[[Request, WebSession, date], Awaitable[dict[str, Any] | Refused]]
"""Template values of a day's page besides the day."""


def dispatch_routes() -> list[BaseRoute]:
    """`/dispatch` and what belongs to it."""
    return [
        Route("/dispatch", dispatch_board_page, methods=["GET"]),
        Route("/dispatch/stream", day_stream, methods=["GET"]),
        Route("/dispatch/builds/{build_id:int}/stream", build_stream, methods=["GET"]),
        Route("/dispatch/ask/{operation}", call_board_operation, methods=["POST"]),
    ]


async def dispatch_board_page(request: Request) -> Response:
    """The page; its scripts fetch the day."""
    return await show_day(request, "dispatch.html", _nothing_more)


async def call_board_operation(request: Request) -> Response:
    """The answer of one operation, as JSON, for a script of a page of the session."""
    return await answer_script(request, ALLOWED_OPERATIONS.get(request.path_params["operation"]))


async def day_stream(request: Request) -> Response:
    """Stream routes without stops, drivers and unplanned orders whenever they change."""
    session = await current_session(request)
    if session is None:
        return Response(status_code=401)
    day, view = requested_day(request, session), _board_view(session)
    pool = shared_state(app_of(request), ("pool", day, view))

    async def state() -> str | None:
        board_request = GetDispatchBoard(day=day, stops=False)
        board = await call_operation(request, dispatch_board, board_request, session=session)
        if isinstance(board, Refused):
            return None
        waiting = await pool.current(partial(_waiting_state, request, session, day))
        return f'{{"waiting":{(waiting or b"null").decode()},{codec.encode_json(board.answer).decode()[1:]}'

    async def may_read() -> bool:
        present = await current_session(request)
        return present is not None and _board_view(present) == view

    subject = client_subject(session.client_id, day.isoformat())
    orders = Heard(RECORDS_CHANNEL, client_subject(session.client_id, "order"), pool)
    return await stream_states(
        app_of(request), DAY_CHANNEL, subject, state, shared_by=view, may_read=may_read, also=[orders]
    )


async def _waiting_state(request: Request, session: WebSession, day: date) -> bytes | None:
    """Return the number of unplanned orders and a mark of the listed ones."""
    asked = GetPlanningPool(date_to=day, per_page=WAITING_LISTED)
    pool = await call_operation(request, planning_pool, asked, session=session)
    if isinstance(pool, Refused):
        return None
    listed = codec.encode_json(pool.answer)
    mark = hashlib.blake2s(listed, digest_size=8).hexdigest()
    return json.encode({"total": pool.answer.total, "mark": mark})


def _board_view(session: WebSession) -> tuple[object, ...]:
    """Return the board's view: staff see all of it, contractors their own part."""
    return session.client_id, session.account, None if session.office else session.user_id, session.scopes


async def build_stream(request: Request) -> Response:
    """Stream the progress of a build, each improvement and the result."""
    session, id = await current_session(request), request.path_params["build_id"]
    if session is None:
        return Response(status_code=401)
    cursor, last_state = "", ""

    async def state() -> str | None:
        nonlocal cursor, last_state
        texts = {"build_id": str(id), **({"cursor": cursor} if cursor else {})}
        result = await call_with_texts(request, get_route_build_steps, texts, session=session)
        if isinstance(result, Refused):
            return None
        cursor = result.answer.next_cursor or ""
        for step in result.answer.steps[-1:]:
            last_state = json.encode({"state": step.state, "number": step.number, "score": step.score}).decode()
        return last_state

    return await stream_states(app_of(request), BUILD_CHANNEL, client_subject(session.client_id, id), state)


async def show_day(request: Request, template: str, shown: ShownDay) -> Response:
    """A page of a day, for those who may see the board."""
    session, say = await current_session(request), page_translator(request)
    if session is None:
        return redirect_to_sign_in(request)
    title = say(f"{MESSAGE_PREFIX}title")
    if session.account not in dispatch_board.audience:
        text = say(f"{MESSAGE_PREFIX}not_for_you")
        return render_page(request, "notice.html", session=session, status_code=403, title=title, text=text)
    day = requested_day(request, session)
    found = await shown(request, session, day)
    if isinstance(found, Refused):
        return render_page(
            request, "notice.html", session=session, status_code=found.status, title=title, text=found.message
        )
    return render_page(
        request,
        template,
        session=session,
        day=day,
        before=day - timedelta(days=1),
        after=day + timedelta(days=1),
        words=script_words(request, {"": MESSAGE_PREFIX}),
        chat_words=script_words(request, {"": CHAT_PREFIX}),
        **found,
    )


async def _nothing_more(request: Request, session: WebSession, day: date) -> dict[str, Any]:
    return {}


def requested_day(request: Request, session: WebSession) -> date:
    """The day that the address names, else today where the business is."""
    try:
        return date.fromisoformat(request.query_params.get("day", ""))
    except ValueError:
        now: datetime = app_of(request).clock()
        return now.astimezone(ZoneInfo(session.time_zone)).date()
