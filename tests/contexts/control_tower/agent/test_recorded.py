"""Recorded sessions, replayed over real HTTP in both wire formats.

Tool calls of the model are run, rejected or proposed, and its inputs are delimited as data.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.adapters.agent_models.model_server import ModelServer, Told, serve_model
from tests.contexts.control_tower.agent.makers import asked, has_agent
from tests.contexts.control_tower.approvals.makers import create_order_as, status_of
from tests.support.app import App

from haulier.adapters.agent_models import agent_model_for
from haulier.contexts.control_tower.agent.rules.clerk.clerk import Clerk
from haulier.contexts.control_tower.agent.rules.conversation import BEGIN, END
from haulier.contexts.control_tower.ports import AgentModel

RECORDED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "recorded" / "conversations.json").read_text())
FORMS = {"anthropic": "", "openai": "/v1"}


def results(form: str, server: ModelServer) -> list[str]:
    """Return the tool results sent to the model in the last request."""
    messages = server.requests[-1]["messages"]
    if form == "openai":
        return [message["content"] for message in messages if message["role"] == "tool"]
    blocks = [block for message in messages if message["role"] == "user" for block in message["content"]]
    return [block["content"] for block in blocks if block["type"] == "tool_result"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("recorded", RECORDED, ids=[each["name"].replace(" ", "-") for each in RECORDED])
async def test_a_conversation_matches_its_recording(app: App, recorded: dict[str, Any], form: str) -> None:
    await has_agent(app)
    order_id = await create_order_as(app, order_ref="A-1")
    answers = [Told(each.get("text", ""), [(n, a) for n, a in each.get("tools", ())]) for each in recorded["answers"]]
    async with serve_model(*answers) as server:
        address = f"{form}+{server.base}{FORMS[form]}?model=m&input_usd=3&output_usd=15"
        model = agent_model_for(address, "k-1", Clerk(app.application.catalogues))
        app.application.adapters = {**app.application.adapters, AgentModel: model}
        answered = await asked(app, recorded["asks"])
    turn = answered.turn
    assert (turn.status, turn.reply, turn.steps) == ("done", recorded["reply"], len(answers))
    assert (turn.input_tokens, turn.output_tokens) == (107 * len(answers), 20 * len(answers))
    assert turn.cost_micro_usd == (107 * 3 + 20 * 15) * len(answers)
    listed = await app.answer("admin", "list_agent_events", {"agent_session_id": turn.agent_session_id})
    tools = [event.data["tool"] for event in listed.events if event.kind == "tool_call"]
    refused = [event.data["code"] for event in listed.events if event.kind == "tool_result" and "code" in event.data]
    assert (tools, refused) == (recorded["calls"], recorded["refused"])
    assert [proposal.operation for proposal in answered.proposals] == recorded["proposes"]
    told = results(form, server)
    assert len(told) == len(tools)
    assert all(text.startswith(BEGIN) and text.endswith(END) for text in told)
    assert await status_of(app, order_id) == "NEW_ORDER"
