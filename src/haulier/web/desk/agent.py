"""Page of the operations agent: questions, live answers, sources and proposals."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from babel.numbers import format_currency
from msgspec import Struct
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.control_tower.agent.operations import (
    EVENT_STREAM,
    delete_agent_session,
    end_agent_session,
    get_agent_session,
    get_agent_usage,
    list_agent_sessions,
    list_agent_turns,
    send_agent_turn,
    set_agent_policy,
    start_agent_session,
    stop_agent_turn,
)
from haulier.contexts.control_tower.agent.rules.clerk.clerk import CLERK
from haulier.contexts.control_tower.agent.rules.lifecycle import ACTIVE_TURNS
from haulier.contexts.identity.accounts.operations import set_feature
from haulier.kernel.application import Application
from haulier.kernel.data.notices import client_subject
from haulier.kernel.operations.enums import Feature
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.endpoints import make_endpoint
from haulier.web.desk.pages import DeskRequest, list_problems, not_found, plain_answer
from haulier.web.desk.places import act_address
from haulier.web.desk.reader import Cell
from haulier.web.operations_client import read_form
from haulier.web.pages.value_formatter import Words
from haulier.web.session import app_of
from haulier.web.sse import stream_states

ADDRESS = "/desk/agent"
TURNS_SHOWN, SESSIONS_SHOWN = 20, 12
TRIED = ("late", "unplanned", "failed", "routes", "digest", "week", "pickups", "ratings", "debts", "approvals")
"""The questions that an empty conversation offers."""
MICRO = 1_000_000


def module_routes(app: Application) -> list[BaseRoute]:
    """`/desk/agent` and everything below it."""
    shown_by = partial(make_endpoint, app)
    return [
        Route("/desk/agent", shown_by(agent_page), methods=["GET"]),
        Route("/desk/agent", shown_by(submit_to_agent), methods=["POST"]),
        Route("/desk/agent/{agent_session_id:int}", shown_by(agent_page), methods=["GET"]),
        Route("/desk/agent/{agent_session_id:int}", shown_by(submit_to_agent), methods=["POST"]),
        Route("/desk/agent/{agent_session_id:int}/stream", shown_by(agent_stream), methods=["GET"]),
    ]


class RecordLink(Struct, frozen=True):
    """A record that an answer rests on."""

    text: str
    address: str | None


class ToolLine(Struct, frozen=True):
    """A tool that was called."""

    title: Words
    records: list[RecordLink]
    refused: str | None


class ProposalCard(Struct, frozen=True):
    """A write that was proposed, and why."""

    id: int
    summary: str
    status: Cell | None
    waits: bool
    looked_at: list[ToolLine]
    given: list[tuple[Words, Cell]]


class TurnView(Struct, frozen=True):
    """A question and what came of it, as the page shows it."""

    turn: Mapping[str, Any]
    active: bool
    at: str
    tools: list[ToolLine]
    proposals: list[ProposalCard]
    spent: str

    @property
    def rests_on_records(self) -> bool:
        """Return True if a tool returned a record."""
        return any(line.records for line in self.tools)


async def agent_page(desk: DeskRequest) -> Response:
    """A conversation with the agent, or a new one."""
    named = desk.texts.get("agent_session_id", [""])[-1]
    if named.isdecimal():
        return RedirectResponse(f"{ADDRESS}/{named}", 303)
    return await _page(desk)


async def submit_to_agent(desk: DeskRequest) -> Response:
    """Ask, stop, end or delete."""
    form = await read_form(desk.request)
    if not desk.session.is_genuine_form(desk.request, form):
        return await _page(desk, status_code=403, problem=desk.say("sign_in.again"), typed=form.get("text", ""))
    session = {"agent_session_id": _session_id(desk)}
    turn = {"agent_turn_id": int(text) if (text := form.get("agent_turn_id", "")).isdecimal() else 0}
    match form.get("step"):
        case "stop":
            result = await desk.call(stop_agent_turn, turn)
        case "end":
            result = await desk.call(end_agent_session, session)
        case "delete":
            result = await desk.call(delete_agent_session, session)
            if result.error is None:
                return RedirectResponse(ADDRESS, 303)
        case _:
            return await _ask(desk, form.get("text", "").strip())
    if result.error is not None:
        return await _page(desk, status_code=result.status, problem=list_problems(result)[0])
    return RedirectResponse(f"{ADDRESS}/{_session_id(desk)}", 303)


async def agent_stream(desk: DeskRequest) -> Response:
    """Stream the newest turn and the remaining daily quota as page parts."""
    session_id = _session_id(desk)

    async def state() -> str | None:
        turns = await desk.read(list_agent_turns, {"agent_session_id": session_id, "per_page": 1})
        if turns is None:
            return None
        views = [_turn_view(desk, turn) for turn in turns["turns"]]
        part = desk.page("desk_agent_live.html", views=views, usage=await _usage(desk), session_id=session_id)
        return bytes(part.body).decode()

    if await desk.read(get_agent_session, {"agent_session_id": session_id}) is None:
        return Response(status_code=204)  # 204 stops the browser from reconnecting.
    subject = client_subject(desk.session.client_id, session_id)
    return await stream_states(app_of(desk.request), EVENT_STREAM.channel, subject, state)


async def _ask(desk: DeskRequest, text: str) -> Response:
    session_id, is_new = _session_id(desk), _session_id(desk) == 0
    if is_new:
        started = await desk.call(start_agent_session, {})
        if started.error is not None:
            return await _page(desk, status_code=started.status, problem=list_problems(started)[0], typed=text)
        session_id = plain_answer(started)["session"]["id"]
    sent = await desk.call(send_agent_turn, {"agent_session_id": session_id, "text": text})
    if sent.error is None:
        return RedirectResponse(f"{ADDRESS}/{session_id}", 303)
    if is_new:
        await desk.call(delete_agent_session, {"agent_session_id": session_id})
    return await _page(desk, status_code=sent.status, problem=list_problems(sent)[0], typed=text)


def _session_id(desk: DeskRequest) -> int:
    return int(desk.request.path_params.get("agent_session_id", 0))


async def _page(desk: DeskRequest, *, status_code: int = 200, problem: str | None = None, typed: str = "") -> Response:
    listed = await desk.call(list_agent_sessions, {"page": _number(desk, "list"), "per_page": SESSIONS_SHOWN})
    if listed.error is not None:
        return _refused(desk, listed)
    session_id, session = _session_id(desk), None
    turns: dict[str, Any] = {"turns": [], "total": 0}
    if session_id:
        found = await desk.call(get_agent_session, {"agent_session_id": session_id})
        if found.error is not None:
            return not_found(desk, found)
        session = plain_answer(found)["session"]
        asked = {"agent_session_id": session_id, "page": _number(desk, "page"), "per_page": TURNS_SHOWN}
        turns = await desk.read(list_agent_turns, asked) or turns
    views = [_turn_view(desk, turn) for turn in reversed(turns["turns"])]
    answer = plain_answer(listed)
    return desk.page(
        "desk_agent.html",
        status_code=status_code,
        session_id=session_id,
        conversation=session,
        views=views,
        is_running=any(view.active for view in views),
        page=_number(desk, "page"),
        has_earlier=turns["total"] > _number(desk, "page") * TURNS_SHOWN,
        conversations=answer["sessions"],
        list_page=_number(desk, "list"),
        has_older=answer["total"] > _number(desk, "list") * SESSIONS_SHOWN,
        usage=await _usage(desk),
        policy=act_address(set_agent_policy) if desk.may(set_agent_policy) else None,
        tried=[desk.say(f"agent_page.try.{name}") for name in TRIED],
        problem=problem,
        typed=typed,
        call=send_agent_turn,
        values={"agent_session_id": session_id or 1, "text": desk.say("agent_page.try.late")},
    )


def _refused(desk: DeskRequest, result: OperationResult) -> Response:
    """Why there is no agent: the family is off, or this account does not have it."""
    is_off = (result.error or {}).get("feature_enabled") is False
    switch = act_address(set_feature, feature=Feature.OPERATIONS_AI_AGENT.value, enabled="true")
    return desk.page(
        "desk_agent_off.html",
        is_off=is_off,
        status_code=result.status,
        text=list_problems(result)[0],
        switch=switch if is_off and desk.may(set_feature) else None,
        call=None,
        values={},
    )


async def _usage(desk: DeskRequest) -> dict[str, str]:
    """Return the remaining daily quota and the cost of the month as text."""
    used = await desk.read(get_agent_usage, {}) or {}
    if not used:
        return {}
    left = desk.say("agent_page.left", remaining=used["remaining"], daily=used["daily_turns"])
    cost = _money(desk, used["month_cost_micro_usd"])
    return {"left": left, "month": desk.say("agent_page.month", turns=used["month_turns"], cost=cost)}


def _turn_view(desk: DeskRequest, turn: Mapping[str, Any]) -> TurnView:
    lines = [_tool_line(desk, tool) for tool in turn["tools"]]
    cards = [
        _proposal_card(desk, tool, [line for line in lines[:at] if line.records])
        for at, tool in enumerate(turn["tools"])
        if tool["proposal"]
    ]
    return TurnView(
        turn=turn,
        active=turn["status"] in ACTIVE_TURNS,
        at=desk.reader.cell("asked_at", turn["asked_at"], turn).text,
        tools=lines,
        proposals=cards,
        spent=_spent(desk, turn),
    )


def _tool_line(desk: DeskRequest, tool: Mapping[str, Any]) -> ToolLine:
    operation = desk.places.registry.get(tool["tool"])
    title = desk.reader.title(operation) if operation else Words(tool["tool"], english=True)
    links = [
        RecordLink(
            desk.say(f"record.{each['field']}", value=each["name"] or each["id"]),
            desk.reader.cell(each["field"], each["id"], {}).address,
        )
        for each in (() if tool["proposal"] else tool["records"])
    ]
    return ToolLine(title, links, tool["message"] if tool["code"] else None)


def _proposal_card(desk: DeskRequest, tool: Mapping[str, Any], looked_at: list[ToolLine]) -> ProposalCard:
    proposal, given = tool["proposal"], tool["arguments"]
    status = proposal["status"]
    return ProposalCard(
        id=proposal["approval_id"],
        summary=proposal["summary"],
        status=desk.reader.cell("status", status, proposal) if status else None,
        waits=status == "pending",
        looked_at=looked_at,
        given=[(desk.reader.label(name), desk.reader.cell(name, value, given)) for name, value in given.items()],
    )


def _spent(desk: DeskRequest, turn: Mapping[str, Any]) -> str:
    """Return the model and the cost of an answer."""
    if turn["model"] in {None, CLERK}:
        return desk.say("agent_page.by_clerk") if turn["model"] else ""
    tokens = turn["input_tokens"] + turn["output_tokens"]
    return desk.say("agent_page.spent", model=turn["model"], tokens=tokens, cost=_money(desk, turn["cost_micro_usd"]))


def _money(desk: DeskRequest, micro_usd: int) -> str:
    pattern = None if micro_usd == 0 or micro_usd >= MICRO // 100 else "¤#,##0.000000"
    return format_currency(
        micro_usd / MICRO, "USD", pattern, locale=desk.formatter.locale, currency_digits=pattern is None
    )


def _number(desk: DeskRequest, name: str) -> int:
    text = desk.texts.get(name, ["1"])[-1]
    return max(1, int(text)) if text.isdecimal() and len(text) < 7 else 1
