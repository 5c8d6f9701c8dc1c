"""Sessions: started, followed, stopped, ended, deleted, and private to their user."""

import asyncio
from typing import Any

from tests.contexts.control_tower.agent.makers import (
    asked,
    calls,
    has_agent,
    make_session,
    says,
    table_rows,
    with_model,
)
from tests.contexts.control_tower.approvals.makers import code, create_order_as, make_token
from tests.support.app import App

from haulier.contexts.control_tower.agent.jobs import RunAgentTurn, run_agent_turn
from haulier.contexts.control_tower.agent.store import update_turn
from haulier.contexts.control_tower.ports import AgentModel, ModelFailed
from haulier.kernel.job_run import JobRun

OFF = {"result": False, "feature_enabled": False}


async def test_every_operation_of_the_disabled_module_responds_as_documented(app: App) -> None:
    answer = await app.rest("admin", "POST", "/v1/agent/sessions", {})
    assert answer.status_code == 409
    assert {name: answer.json()[name] for name in OFF} == OFF
    assert (await app.rest("customer", "POST", "/v1/agent/sessions", {})).status_code == 403


async def test_a_conversation_can_be_started_listed_shown_ended_and_deleted(app: App) -> None:
    await has_agent(app)
    session_id = await make_session(app)
    listed = await app.answer("admin", "list_agent_sessions")
    assert [(session.id, session.status) for session in listed.sessions] == [(session_id, "open")]
    await asked(app, "What is late?", session_id=session_id)
    shown = (await app.answer("admin", "get_agent_session", {"agent_session_id": session_id})).session
    assert shown.title == "What is late?"
    ended = (await app.answer("admin", "end_agent_session", {"agent_session_id": session_id})).session
    assert ended.status == "ended"
    again = await app.call("admin", "end_agent_session", {"agent_session_id": session_id})
    assert code(again) == (409, "AGENT_SESSION_ENDED")
    sent = await app.call("admin", "send_agent_turn", {"agent_session_id": session_id, "text": "?"})
    assert code(sent) == (409, "AGENT_SESSION_ENDED")
    assert (await app.answer("admin", "list_agent_sessions", {"status": "open"})).sessions == []
    await app.answer("admin", "delete_agent_session", {"agent_session_id": session_id})
    for table in ("agent_session", "agent_turn", "agent_event"):
        assert await table_rows(app, table) == []
    assert (await app.answer("admin", "get_agent_usage")).turns == 1


async def test_a_conversation_is_readable_only_by_its_owner(app: App) -> None:
    await has_agent(app)
    await has_agent(app, "rival")
    answered = await asked(app, "help")
    ref = {"agent_session_id": answered.turn.agent_session_id}
    for who in ("employee", "rival"):
        for operation in ("get_agent_session", "list_agent_turns", "list_agent_events", "delete_agent_session"):
            assert code(await app.call(who, operation, ref)) == (404, "NOT_FOUND"), (who, operation)
        turn = {"agent_turn_id": answered.turn.id}
        assert code(await app.call(who, "get_agent_turn", turn)) == (404, "NOT_FOUND")
        assert code(await app.call(who, "stop_agent_turn", turn)) == (404, "NOT_FOUND")


async def test_events_are_listed_in_order_and_paged_by_cursor(app: App) -> None:
    await has_agent(app)
    await create_order_as(app, order_ref="A-1")
    answered = await asked(app, "hold A-1")
    ref = {"agent_session_id": answered.turn.agent_session_id}
    told = await app.answer("admin", "list_agent_events", ref)
    kinds = [event.kind for event in told.events]
    assert kinds == ["tool_call", "tool_result", "tool_call", "tool_result", "proposal", "text", "end"]
    assert told.events[2].data == {"tool": "hold_order", "arguments": {"order_id": 1}}
    assert told.events[-1].text == "done"
    rest = await app.answer("admin", "list_agent_events", {**ref, "cursor": told.next_cursor})
    assert (rest.events, rest.next_cursor) == ([], told.next_cursor)


async def test_the_audit_trail_attributes_a_turn_to_the_user_and_the_agent(app: App) -> None:
    await has_agent(app)
    await create_order_as(app, order_ref="A-1")
    await asked(app, "hold A-1", who="employee")
    entry = [row for row in await table_rows(app, "audit_entry") if row.operation == "propose_write"][-1]
    assert (entry.user_id, entry.door, entry.agent) == (app.ids["employee"], "agent", "operations-agent")


async def test_earlier_turns_are_kept_as_context_without_tool_results(app: App) -> None:
    await has_agent(app)
    model = with_model(app, calls(("daily_digest", {})), says("A quiet day."), says("I said so."))
    session_id = await make_session(app)
    await asked(app, "How is the day?", session_id=session_id)
    await asked(app, "What did you say?", session_id=session_id)
    told = [(message.role, message.text) for message in model.prompts[-1].messages]
    assert told == [("person", "How is the day?"), ("agent", "A quiet day."), ("person", "What did you say?")]


async def test_a_second_turn_waits_for_the_first(app: App) -> None:
    await has_agent(app)
    session_id = await make_session(app)
    sent = {"agent_session_id": session_id, "text": "help"}
    first = (await app.answer("admin", "send_agent_turn", sent)).turn
    assert code(await app.call("admin", "send_agent_turn", sent)) == (409, "AGENT_TURN_RUNNING")
    for operation in ("end_agent_session", "delete_agent_session"):
        refused = await app.call("admin", operation, {"agent_session_id": session_id})
        assert code(refused) == (409, "AGENT_TURN_RUNNING")
    await app.answer("admin", "stop_agent_turn", {"agent_turn_id": first.id})
    await app.answer("admin", "send_agent_turn", sent)


async def test_concurrent_turns_start_one(app: App) -> None:
    await has_agent(app)
    sent = {"agent_session_id": await make_session(app), "text": "help"}
    outcomes = await asyncio.gather(*(app.call("admin", "send_agent_turn", sent) for _ in range(8)))
    assert sorted(code(outcome)[1] or "" for outcome in outcomes) == ["", *["AGENT_TURN_RUNNING"] * 7]
    assert (await app.answer("admin", "get_agent_usage")).turns == 1


async def test_a_request_repeated_with_its_key_returns_the_same_turn(app: App) -> None:
    await has_agent(app)
    sent = {"agent_session_id": await make_session(app), "text": "help"}
    first = await app.answer("admin", "send_agent_turn", sent, idempotency_key="k")
    again = await app.call("admin", "send_agent_turn", sent, idempotency_key="k")
    assert again.replayed
    assert len(await table_rows(app, "agent_turn")) == 1
    assert first.turn.number == 1


async def test_a_turn_stopped_before_it_starts_never_starts(app: App) -> None:
    await has_agent(app)
    model = with_model(app, says("Hello."))
    sent = {"agent_session_id": await make_session(app), "text": "help"}
    turn = (await app.answer("admin", "send_agent_turn", sent)).turn
    stopped = await app.answer("admin", "stop_agent_turn", {"agent_turn_id": turn.id})
    assert (stopped.turn.status, stopped.turn.ended_by) == ("stopped", "person")
    await app.work_off()
    assert model.prompts == []
    again = await app.call("admin", "stop_agent_turn", {"agent_turn_id": turn.id})
    assert code(again) == (409, "AGENT_TURN_OVER")


async def test_a_turn_can_be_stopped_during_a_response(app: App) -> None:
    await has_agent(app)
    begun, cut = asyncio.Event(), asyncio.Event()

    class Slow:
        name = "slow"

        async def reply(self, prompt: Any, on_text: Any) -> Any:
            await on_text("I begin ")
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                cut.set()

    app.application.adapters = {**app.application.adapters, AgentModel: Slow()}
    sent = {"agent_session_id": await make_session(app), "text": "Tell me a story."}
    turn = (await app.answer("admin", "send_agent_turn", sent)).turn
    working = asyncio.ensure_future(app.work_off())
    async with asyncio.timeout(60):
        await begun.wait()
        await app.answer("admin", "stop_agent_turn", {"agent_turn_id": turn.id})
        await cut.wait()
        await working
    shown = (await app.answer("admin", "get_agent_turn", {"agent_turn_id": turn.id})).turn
    assert (shown.status, shown.reply) == ("stopped", "I begin ")


async def test_disabling_the_module_stops_running_turns(app: App) -> None:
    await has_agent(app)

    class Switched:
        name = "switched"

        async def reply(self, prompt: Any, on_text: Any) -> Any:
            off = {"feature": "operations_ai_agent", "enabled": False}
            await app.answer("admin", "set_feature", off)
            return calls(("daily_digest", {}))

    app.application.adapters = {**app.application.adapters, AgentModel: Switched()}
    sent = {"agent_session_id": await make_session(app), "text": "Loop."}
    await app.answer("admin", "send_agent_turn", sent)
    await app.work_off()
    (turn,) = await table_rows(app, "agent_turn")
    assert (turn.status, turn.ended_by) == ("stopped", "person")
    assert [row.kind for row in await table_rows(app, "agent_event")] == ["end"]


async def test_a_turn_of_a_killed_worker_ends_as_interrupted_without_duplicate_proposals(app: App) -> None:
    await has_agent(app)
    sent = {"agent_session_id": await make_session(app), "text": "help"}
    turn = (await app.answer("admin", "send_agent_turn", sent)).turn
    async with app.database.write(app.clients["demo"]) as work:
        await update_turn(work, turn.id, status="running")
    run = JobRun(app.application, app.clients["demo"], 1, 2)
    await run_agent_turn.handler(run, RunAgentTurn(turn.id))
    shown = (await app.answer("admin", "get_agent_turn", {"agent_turn_id": turn.id})).turn
    assert (shown.status, shown.ended_by) == ("failed", "interrupted")


async def test_a_model_failure_ends_the_turn_and_keeps_the_conversation_open(app: App) -> None:
    await has_agent(app)
    with_model(app, ModelFailed("status 500"), says("Here again."))
    session_id = await make_session(app)
    failed = (await asked(app, "Hello?", session_id=session_id)).turn
    assert (failed.status, failed.ended_by, failed.reply) == ("failed", "model", "")
    assert (await asked(app, "Hello?", session_id=session_id)).turn.reply == "Here again."


async def test_permissions_revoked_after_the_question_end_the_turn(app: App) -> None:
    await has_agent(app)
    model = with_model(app, says("Hello."))
    who = await make_token(app, "employee", "agent's", profile="ops-write")
    sent = {"agent_session_id": await make_session(app, who), "text": "help"}
    turn = (await app.answer(who, "send_agent_turn", sent)).turn
    await app.answer("employee", "revoke_api_token", {"token_id": app.ids[who]})
    await app.work_off()
    shown = (await app.answer("employee", "get_agent_turn", {"agent_turn_id": turn.id})).turn
    assert (shown.status, shown.ended_by, model.prompts) == ("failed", "rights", [])
