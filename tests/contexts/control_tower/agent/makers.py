"""Setup of agent tests: a business with the agent, a session, an answered turn."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select
from tests.support.app import App

from haulier.contexts.control_tower.ports import AgentModel, ModelReply, OnText, Prompt, ToolCall, Usage
from haulier.kernel.data.tables import metadata
from haulier.kernel.operations.enums import Feature


async def has_agent(app: App, who: str = "admin") -> None:
    """Enable the agent for the client of a user."""
    await app.answer(who, "set_feature", {"feature": Feature.OPERATIONS_AI_AGENT.value, "enabled": True})


async def make_session(app: App, who: str = "admin") -> int:
    """Start a session of a user; return its id."""
    return (await app.answer(who, "start_agent_session")).session.id


async def asked(app: App, text: str, who: str = "admin", session_id: int | None = None, **words: Any) -> Any:
    """Ask, let the background work, and give the turn with its proposals."""
    session_id = session_id or await make_session(app, who)
    sent = {"agent_session_id": session_id, "text": text}
    turn = (await app.answer(who, "send_agent_turn", sent, **words)).turn
    await app.work_off()
    return await app.answer(who, "get_agent_turn", {"agent_turn_id": turn.id})


async def make_conversation(app: App, text: str) -> dict[str, int]:
    """A conversation in which a turn was asked and stopped; the ids by field name."""
    await has_agent(app)
    session_id = (await app.answer("admin", "start_agent_session", {"title": text})).session.id
    turn = (await app.answer("admin", "send_agent_turn", {"agent_session_id": session_id, "text": text})).turn
    await app.answer("admin", "stop_agent_turn", {"agent_turn_id": turn.id})
    return {"agent_session_id": session_id, "agent_turn_id": turn.id}


async def table_rows(app: App, table: str, client: str = "demo") -> list[Any]:
    """The rows of a table, those of one client where it is a client's."""
    async with app.database.read(app.clients[client]) as work:
        return list(await work.all(select(metadata.tables[table]).order_by(metadata.tables[table].c.id)))


class ScriptedModel:
    """Model with scripted responses that records prompts and obeys what it reads."""

    name = "scripted"

    def __init__(self, replies: Sequence[ModelReply | Exception]) -> None:
        self._replies = list(replies)
        self.prompts: list[Prompt] = []

    async def reply(self, prompt: Prompt, on_text: OnText) -> ModelReply:
        """The next answer; the last one again where there is none."""
        self.prompts.append(prompt)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        if isinstance(reply, Exception):
            raise reply
        if reply.text:
            await on_text(reply.text)
        return reply

    @property
    def read(self) -> str:
        """All that it was ever shown."""
        shown = [prompt.system for prompt in self.prompts]
        for prompt in self.prompts:
            for message in prompt.messages:
                shown += [message.text, *(outcome.text for outcome in message.outcomes)]
        return "\n".join(shown)


def says(text: str, *, input_tokens: int = 0, output_tokens: int = 0, cost: int = 0) -> ModelReply:
    """An answer in words."""
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cost_micro_usd=cost)
    return ModelReply(text=text, usage=usage)


def calls(*tools: tuple[str, dict[str, Any]], **words: int) -> ModelReply:
    """An answer that wants tools called."""
    wanted = [ToolCall(id=f"c{index}", name=name, arguments=given) for index, (name, given) in enumerate(tools)]
    return ModelReply(text="", calls=wanted, usage=says("", **words).usage)


def with_model(app: App, *replies: ModelReply | Exception) -> ScriptedModel:
    """Let a scripted model answer."""
    model = ScriptedModel(replies)
    app.application.adapters = {**app.application.adapters, AgentModel: model}
    return model
