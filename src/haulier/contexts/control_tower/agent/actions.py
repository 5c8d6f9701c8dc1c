"""The loop of a turn: ask the model, call the tools that it wants, ask again; until it answers or a limit is reached."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

import msgspec
from msgspec.structs import replace

from haulier.contexts.control_tower.agent.actions.progress import TurnOver, TurnProgress
from haulier.contexts.control_tower.agent.rules.conversation import as_data, without_secrets
from haulier.contexts.control_tower.agent.rules.lifecycle import EventKind, TurnAction, TurnEnd
from haulier.contexts.control_tower.agent.rules.limits import CALLS_MAX, AgentLimits, Spent, used_up
from haulier.contexts.control_tower.agent.rules.records import records_in
from haulier.contexts.control_tower.agent.store.turns import AgentTurnRow
from haulier.contexts.control_tower.ports import (
    AgentModel,
    AgentTools,
    Message,
    ModelFailed,
    ModelReply,
    Prompt,
    ToolCall,
    ToolDefinition,
    ToolOutcome,
)
from haulier.kernel.application import Application
from haulier.kernel.operations import codec
from haulier.kernel.principal import Principal

FLUSH_CHARACTERS = 400
PARAGRAPH = "\n\n"
FLUSH_INTERVAL_S = 0.4
CHECK_INTERVAL_S = 0.5
"""How often a running turn looks whether it was stopped, in seconds."""
UNKNOWN_TOOL = {"result": False, "code": "UNKNOWN_TOOL", "message": "There is no such tool for this person."}
TOO_MANY_CALLS = {"result": False, "code": "TOO_MANY_CALLS", "message": "Not called: too many tools at once."}


class LimitReached(Exception):
    """A turn has used what it may."""

    def __init__(self, limit: TurnEnd) -> None:
        super().__init__(limit.value)
        self.limit = limit


class TurnLoop:
    """One turn of one person, with the model and tools that it may use."""

    def __init__(
        self, app: Application, principal: Principal, progress: TurnProgress, limits: AgentLimits, turn: AgentTurnRow
    ) -> None:
        self._app, self._principal, self._progress, self._limits = app, principal, progress, limits
        self._turn_id, self._language = turn.id, turn.language
        self._model, self._tools = app.adapter(AgentModel), app.adapter(AgentTools)
        self._began, self._spent, self._spoke = monotonic(), Spent(), False

    async def run(self, prompt: Prompt) -> tuple[TurnAction, TurnEnd | None]:
        """Go round until there is an answer. Returns how the turn ends."""
        try:
            await self._run_watched(prompt)
        except TurnOver:
            return TurnAction.STOP, TurnEnd.PERSON
        except LimitReached as reached:
            return TurnAction.FAIL, reached.limit
        except ModelFailed:
            return TurnAction.FAIL, TurnEnd.MODEL
        return TurnAction.FINISH, None

    async def _run_watched(self, prompt: Prompt) -> None:
        """Run, and be cut off in the middle of an answer when the person stops the turn or its time is over."""
        work = asyncio.ensure_future(self._rounds(prompt))
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=CHECK_INTERVAL_S)
                if work.done():
                    break
                if monotonic() - self._began >= self._limits.max_seconds:
                    raise LimitReached(TurnEnd.SECONDS)
                if not await self._progress.is_running():
                    raise TurnOver
        finally:
            if not work.done():
                work.cancel()
            await asyncio.wait({work})
        work.result()

    async def _rounds(self, prompt: Prompt) -> None:
        known = {tool.name: tool for tool in prompt.tools}
        while True:
            if limit := used_up(self._limits, self._spent, monotonic() - self._began):
                raise LimitReached(TurnEnd(limit))
            reply = await self._ask(prompt)
            if not reply.calls:
                return
            outcomes = [await self._outcome(known, call, index) for index, call in enumerate(reply.calls)]
            asked = Message(role="agent", text=reply.text, calls=reply.calls)
            told = Message(role="tools", outcomes=outcomes)
            prompt = replace(prompt, messages=[*prompt.messages, asked, told])

    async def _ask(self, prompt: Prompt) -> ModelReply:
        writer = TextWriter(self._progress.text, PARAGRAPH if self._spoke else "")
        reply = await self._model.reply(prompt, writer.add)
        await writer.flush()
        self._spoke = self._spoke or bool(reply.text)
        usage = reply.usage
        self._spent = self._spent.with_step(usage.input_tokens, usage.output_tokens, usage.cost_micro_usd)
        await self._progress.used(self._model.name, usage)
        return reply

    async def _outcome(self, known: dict[str, ToolDefinition], call: ToolCall, index: int) -> ToolOutcome:
        if index >= CALLS_MAX:
            return _refused(call, TOO_MANY_CALLS)
        shown = msgspec.to_builtins(dict(call.arguments))
        await self._progress.happened(EventKind.TOOL_CALL, {"tool": call.name[:100], "arguments": shown})
        if call.name not in known:
            await self._progress.happened(EventKind.TOOL_RESULT, {"tool": call.name[:100], **UNKNOWN_TOOL})
            return _refused(call, UNKNOWN_TOOL)
        document, is_error = await self._tools.call(
            self._app,
            self._principal,
            call.name,
            call.arguments,
            language=self._language,
            request_id=f"agent-turn-{self._turn_id}",
            key=f"agent-turn-{self._turn_id}",
            shows_prices=self._limits.shows_prices,
        )
        await self._note(call.name, document, is_error=is_error)
        approval = document.get("approval") if known[call.name].writes else None
        return ToolOutcome(
            call_id=call.id,
            name=call.name,
            text=as_data(codec.encode_json(document).decode()),
            document=document,
            is_error=is_error,
            approval_id=approval.get("id") if isinstance(approval, dict) else None,
        )

    async def _note(self, tool: str, document: dict[str, Any], *, is_error: bool) -> None:
        """Write down what came of it: the whole of a refusal or proposal, of an answer only which records it gave."""
        if is_error:
            told = {name: document[name] for name in ("code", "message") if name in document}
            await self._progress.happened(EventKind.TOOL_RESULT, {"tool": tool, "result": False, **told})
            return
        records = records_in(document)
        await self._progress.happened(EventKind.TOOL_RESULT, {"tool": tool, "result": True, "records": records})
        approval = document.get("approval")
        if document.get("queued") and isinstance(approval, dict):
            told = {"approval_id": approval["id"], "operation": approval["operation"], "summary": approval["summary"]}
            await self._progress.happened(EventKind.PROPOSAL, told)


def _refused(call: ToolCall, document: dict[str, Any]) -> ToolOutcome:
    text = as_data(codec.encode_json(document).decode())
    return ToolOutcome(call_id=call.id, name=call.name, text=text, document=document, is_error=True)


class TextWriter:
    """Gathers the pieces of an answer, so that not each word is a transaction."""

    def __init__(self, write: Callable[[str], Awaitable[None]], begins_with: str = "") -> None:
        self._write, self._waiting, self._written_at = write, "", 0.0
        self._begins_with = begins_with

    async def add(self, piece: str) -> None:
        """The next piece."""
        self._waiting += self._begins_with + piece
        self._begins_with = ""
        due = monotonic() - self._written_at >= FLUSH_INTERVAL_S
        if due or len(self._waiting) >= FLUSH_CHARACTERS:
            await self.flush()

    async def flush(self) -> None:
        """Write what waits."""
        if self._waiting:
            piece, self._waiting = without_secrets(self._waiting), ""
            self._written_at = monotonic()
            await self._write(piece)
