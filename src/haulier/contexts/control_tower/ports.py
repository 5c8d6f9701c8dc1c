"""Ports of the control tower: a model, and the application's tools."""

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
    """A tool call by a model. `id` is the provider's, for the result."""

    id: str
    name: str
    arguments: Mapping[str, Any]


class ToolOutcome(Struct, frozen=True, kw_only=True):
    """Result of a call. `document` is the answer for the clerk; a model gets `text`."""

    call_id: str
    name: str
    text: str
    document: Mapping[str, Any] = {}
    is_error: bool = False
    approval_id: int | None = None


class Message(Struct, frozen=True, kw_only=True):
    """A message of the user or agent, with tool calls or tool results."""

    role: str
    text: str = ""
    calls: Sequence[ToolCall] = ()
    outcomes: Sequence[ToolOutcome] = ()


class Usage(Struct, frozen=True, kw_only=True):
    """Usage of one answer."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_micro_usd: int = 0


class ModelReply(Struct, frozen=True, kw_only=True):
    """One answer of a model."""

    text: str
    calls: Sequence[ToolCall] = ()
    usage: Usage = Usage()


class Prompt(Struct, frozen=True, kw_only=True):
    """Input of a model."""

    system: str
    messages: Sequence[Message]
    tools: Sequence[ToolDefinition]
    language: str
    today: str
    time_zone: str
    max_output_tokens: int = 2_000


class ModelFailed(Exception):
    """Raised when a model returns no usable answer.

    The text is for the operator's log: it may contain the provider's words.
    """


class AgentModel(Protocol):
    """A model that answers conversations."""

    @property
    def name(self) -> str:
        """Return the model's name for transcripts and costs."""
        ...

    async def reply(self, prompt: Prompt, on_text: OnText) -> ModelReply:
        """Return the next answer, also streaming its text. Raises `ModelFailed`."""
        ...


class AgentTools(Protocol):
    """Operations as agent tools, called through the pipeline as a user."""

    def listed(self, app: Application, principal: Principal) -> Sequence[tuple[str, str, Mapping[str, Any], bool]]:
        """Return name, description, schema and writing flag of each tool of the user."""
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
        """Return a tool's result, and True if it is an error.

        A write becomes a proposal and is never executed; equal ones with the same `key` become one.
        """
        ...
