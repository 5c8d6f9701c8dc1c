"""What the control tower needs from outside: a model that answers, and the tools of the application."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.principal import Principal

OnText = Callable[[str], Awaitable[None]]
"""Called with each piece of text as the model writes it."""


class StockShortages(Protocol):
    """The shortages of stock. Warehouse implements it."""

    async def count(self, call: Call) -> int:
        """Count the products that are short."""
        ...


class ToolDefinition(Struct, frozen=True, kw_only=True):
    """A tool that the caller may use."""

    name: str
    description: str
    schema: Mapping[str, Any]
    writes: bool


class ToolCall(Struct, frozen=True, kw_only=True):
    """That a model wants a tool called. `id` is the provider's, for its result."""

    id: str
    name: str
    arguments: Mapping[str, Any]


class ToolOutcome(Struct, frozen=True, kw_only=True):
    """What came of a call. `document` is the whole answer, for the clerk; a model gets `text`."""

    call_id: str
    name: str
    text: str
    document: Mapping[str, Any] = {}
    is_error: bool = False
    approval_id: int | None = None


class Message(Struct, frozen=True, kw_only=True):
    """One message: the person's, the agent's with the tools that it wants called, or what these gave."""

    role: str
    text: str = ""
    calls: Sequence[ToolCall] = ()
    outcomes: Sequence[ToolOutcome] = ()


class Usage(Struct, frozen=True, kw_only=True):
    """What one answer cost."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_micro_usd: int = 0


class ModelReply(Struct, frozen=True, kw_only=True):
    """One answer of a model."""

    text: str
    calls: Sequence[ToolCall] = ()
    usage: Usage = Usage()


class Prompt(Struct, frozen=True, kw_only=True):
    """All that a model is asked with."""

    system: str
    messages: Sequence[Message]
    tools: Sequence[ToolDefinition]
    language: str
    today: str
    time_zone: str
    max_output_tokens: int = 2_000


class ModelFailed(Exception):
    """A model gave no answer that can be used. The text is for the operator's log: it may hold what the provider said."""


class AgentModel(Protocol):
    """Answers a conversation."""

    @property
    def name(self) -> str:
        """What the model is called, for transcripts and costs."""
        ...

    async def reply(self, prompt: Prompt, on_text: OnText) -> ModelReply:
        """The next answer, its text also piece by piece. Raises `ModelFailed`."""
        ...


class AgentTools(Protocol):
    """The operations of the application as tools of an agent, called through the pipeline as a person."""

    def listed(self, app: Application, principal: Principal) -> Sequence[tuple[str, str, Mapping[str, Any], bool]]:
        """Name, description, JSON Schema of the arguments, and whether it writes, of each tool that the person may use."""
        ...

    async def call(
        self,
        app: Application,
        principal: Principal,
        name: str,
        arguments: Mapping[str, Any],
        *,
        language: str,
        request_id: str,
        key: str,
        shows_prices: bool,
    ) -> tuple[dict[str, Any], bool]:
        """What a tool gives, and whether that is an error. A write is never carried out: it becomes a proposal, and of two
        equal ones with the same `key` there is one.
        """
        ...
