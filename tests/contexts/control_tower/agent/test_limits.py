"""Agent limits: turns per day, and steps, tokens, cost and time per turn."""

import asyncio
from typing import Any

import pytest
from tests.contexts.control_tower.agent.makers import asked, calls, has_agent, make_session, says, with_model
from tests.contexts.control_tower.approvals.makers import code
from tests.support.app import App

from haulier.contexts.control_tower.agent.rules.limits import AgentLimits, Spent, used_up


async def test_an_exhausted_daily_cap_responds_as_documented(app: App) -> None:
    await has_agent(app)
    await app.answer("admin", "set_agent_policy", {"daily_turns": 2})
    session_id = await make_session(app)
    path = f"/v1/agent/sessions/{session_id}/turns"
    for remaining in (1, 0):
        answer = await app.rest("admin", "POST", path, {"text": "help"})
        assert (answer.status_code, answer.json()["remaining"]) == (202, remaining)
        await app.work_off()
    refused = await app.rest("admin", "POST", path, {"text": "help"})
    assert refused.status_code == 429
    assert refused.json()["error_code"] == "DAILY_CAP_REACHED"
    assert refused.json()["result"] is False
    usage = await app.answer("admin", "get_agent_usage")
    assert (usage.turns, usage.remaining, usage.daily_turns) == (2, 0, 2)


async def test_the_cap_applies_per_business_and_day_in_its_time_zone(app: App) -> None:
    await has_agent(app)
    await has_agent(app, "rival")
    await app.answer("admin", "set_agent_policy", {"daily_turns": 1})
    session_id = await make_session(app)
    await asked(app, "help", session_id=session_id)
    sent = {"agent_session_id": session_id, "text": "help"}
    app.clock.forward(hours=13)  # 23:00 in Toronto; in UTC it is tomorrow
    assert code(await app.call("admin", "send_agent_turn", sent)) == (429, "DAILY_CAP_REACHED")
    await asked(app, "help", who="rival")
    app.clock.forward(hours=2)
    await asked(app, "help", session_id=session_id)


async def test_concurrent_turns_never_exceed_the_cap(app: App) -> None:
    await has_agent(app)
    await app.answer("admin", "set_agent_policy", {"daily_turns": 3})
    sessions = [await make_session(app) for _ in range(8)]
    sent = [{"agent_session_id": session_id, "text": "help"} for session_id in sessions]
    outcomes = await asyncio.gather(*(app.call("admin", "send_agent_turn", each) for each in sent))
    assert sorted(code(outcome)[1] or "" for outcome in outcomes) == ["", "", "", *["DAILY_CAP_REACHED"] * 5]
    assert (await app.answer("admin", "get_agent_usage")).turns == 3


async def test_a_cap_of_zero_disables_the_agent(app: App) -> None:
    await has_agent(app)
    await app.answer("admin", "set_agent_policy", {"daily_turns": 0})
    sent = {"agent_session_id": await make_session(app), "text": "help"}
    assert code(await app.call("admin", "send_agent_turn", sent)) == (429, "DAILY_CAP_REACHED")


@pytest.mark.parametrize(
    ("policy", "ended_by", "steps"),
    [
        ({"max_steps": 3}, "steps", 3),
        ({"max_tokens": 1000}, "tokens", 2),
        ({"max_cost_micro_usd": 2500}, "cost", 3),
    ],
)
async def test_a_model_in_an_endless_loop_is_stopped(app: App, policy: Any, ended_by: str, steps: int) -> None:
    await has_agent(app)
    await app.answer("admin", "set_agent_policy", policy)
    model = with_model(app, calls(("daily_digest", {}), input_tokens=400, output_tokens=200, cost=1000))
    turn = (await asked(app, "Loop.")).turn
    assert (turn.status, turn.ended_by, turn.steps, len(model.prompts)) == ("failed", ended_by, steps, steps)
    usage = await app.answer("admin", "get_agent_usage")
    assert (usage.input_tokens, usage.output_tokens) == (400 * steps, 200 * steps)
    assert usage.month_cost_micro_usd == turn.cost_micro_usd == 1000 * steps


def test_a_turn_has_a_time_limit() -> None:
    limits = AgentLimits(max_seconds=30)
    assert used_up(limits, Spent(), 29.9) is None
    assert used_up(limits, Spent(), 30.0) == "seconds"


async def test_tool_calls_above_eight_per_step_are_not_executed(app: App) -> None:
    await has_agent(app)
    model = with_model(app, calls(*[("daily_digest", {})] * 9), says("Enough."))
    answered = await asked(app, "All at once.")
    assert answered.turn.reply == "Enough."
    outcomes = model.prompts[-1].messages[-1].outcomes
    assert [outcome.is_error for outcome in outcomes] == [*[False] * 8, True]


async def test_only_an_admin_sets_the_agents_limits(app: App) -> None:
    await has_agent(app)
    assert (await app.call("employee", "set_agent_policy", {"daily_turns": 9})).status == 403
    policy = await app.answer("admin", "set_agent_policy", {"daily_turns": 9, "max_seconds": 20})
    assert (await app.answer("employee", "get_agent_policy")) == policy
