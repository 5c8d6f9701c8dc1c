"""The agent: requests and answers."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from msgspec import Struct
from pydantic import Field

from haulier.contexts.control_tower.agent.rules.lifecycle import SessionStatus, TurnStatus
from haulier.contexts.control_tower.agent.rules.limits import (
    COST_MICRO_USD,
    COST_MICRO_USD_MAX,
    DAILY_TURNS,
    DAILY_TURNS_MAX,
    SECONDS,
    SECONDS_MAX,
    STEPS,
    STEPS_MAX,
    TOKENS,
    TOKENS_MAX,
)
from haulier.contexts.control_tower.approvals.rules import ApprovalStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, RecordId
from haulier.kernel.operations.ids import RefersTo
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, PagedAnswer, PageRequest

TITLE_MAX = 120
QUESTION_MAX = 4000
AgentSessionId = Annotated[RecordId, Field(examples=[3])]
AgentTurnId = Annotated[RecordId, RefersTo("agent-turns"), Field(examples=[8])]


class StartAgentSession(Request):
    """A new conversation."""

    title: (
        Annotated[str, Field(min_length=1, max_length=TITLE_MAX, pattern=NO_NUL, examples=["The morning"])] | None
    ) = None
    """Title. Default: the first question."""


class ListAgentSessions(PageRequest):
    """Filters for conversations."""

    status: Annotated[Literal["open", "ended"], Field(examples=["open"])] | None = None
    """Filter by status."""


class AgentSessionRef(Request):
    """Reference to a conversation."""

    agent_session_id: AgentSessionId
    """ID of the conversation."""


class ListAgentTurns(PageRequest):
    """A conversation, and paging for its turns."""

    agent_session_id: AgentSessionId
    """ID of the conversation."""


class SendAgentTurn(AgentSessionRef):
    """A question or request."""

    text: Annotated[str, Field(min_length=1, max_length=QUESTION_MAX, pattern=NO_NUL, examples=["What is late today?"])]
    """Question or request in the user's own words. Tokens and keys in it are not stored."""


class AgentTurnRef(Request):
    """Reference to a turn."""

    agent_turn_id: AgentTurnId
    """ID of the turn."""


class ListAgentEvents(AgentSessionRef):
    """A conversation, and a cursor for its events."""

    cursor: Annotated[str, Field(min_length=1, max_length=MAX_CURSOR_LENGTH, examples=["WzQyXQ"])] | None = None
    """`next_cursor` of the previous response. Default: the beginning."""


class SetAgentPolicy(Request):
    """Spending limits of the agent."""

    daily_turns: int = Field(default=DAILY_TURNS, ge=0, le=DAILY_TURNS_MAX)
    """Turns of the whole business per day in its time zone; 0 stops the agent."""
    max_steps: int = Field(default=STEPS, ge=1, le=STEPS_MAX)
    """Answers of the model in one turn."""
    max_tokens: int = Field(default=TOKENS, ge=1000, le=TOKENS_MAX)
    """Tokens that one turn may read and write."""
    max_seconds: int = Field(default=SECONDS, ge=5, le=SECONDS_MAX)
    """Maximum duration of a turn in seconds."""
    max_cost_micro_usd: int = Field(default=COST_MICRO_USD, ge=0, le=COST_MICRO_USD_MAX)
    """Maximum cost of a turn in millionths of a US dollar, if the operator configured the model's prices."""
    shows_prices: bool = False
    """If true, the model sees prices. Otherwise they are removed from tool results."""


class AgentSession(Answer):
    """A conversation."""

    id: int
    title: str
    status: SessionStatus
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None


class AgentSessionAnswer(Answer):
    """One conversation."""

    result: bool = True
    session: AgentSession


class AgentSessionList(PagedAnswer):
    """A page of conversations."""

    sessions: list[AgentSession]


class AgentProposal(Answer):
    """A write that the agent proposed. Nothing happens before it is approved."""

    approval_id: int
    operation: str
    summary: Annotated[str, doc("Summary of the change and its records, in one line.")]
    status: Annotated[ApprovalStatus | None, doc("Current status; null once it is deleted.")]


class AgentRecord(Answer):
    """A record from a tool."""

    field: Annotated[str, doc("Name of the ID field.", "order_id")]
    id: int
    name: Annotated[str | None, doc("Display name, such as an order's reference.")]


class AgentToolUse(Answer):
    """A tool call of a turn, and its outcome."""

    tool: str
    arguments: dict[str, Any]
    code: Annotated[str | None, doc("Error code of a refusal.")]
    message: Annotated[str | None, doc("Reason of a refusal.")]
    records: Annotated[list[AgentRecord], doc("Basis of the answer: the first records from the tool.")]
    proposal: Annotated[AgentProposal | None, doc("Pending write created by the proposal.")]


class AgentTurn(Answer):
    """A question and its answer."""

    id: int
    agent_session_id: int
    number: Annotated[int, doc("Number of the turn in the conversation, from 1.")]
    text: Annotated[str, doc("The question.")]
    reply: Annotated[str, doc("Answer, as far as it is written.")]
    status: TurnStatus
    ended_by: Annotated[
        str | None,
        doc("Reason for ending without an answer: a limit (steps, tokens, seconds, cost), model, rights, person."),
    ]
    model: Annotated[str | None, doc("Name of the answerer; `clerk` is the one without a model.")]
    steps: Annotated[int, doc("Number of model requests.")]
    input_tokens: int
    output_tokens: int
    cost_micro_usd: Annotated[int, doc("Cost in millionths of a US dollar; 0 if the model's prices are unknown.")]
    asked_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    tools: Annotated[list[AgentToolUse], doc("Tools that were called, in order.")]


class AgentTurnAnswer(Answer):
    """One turn, with its proposals."""

    result: bool = True
    turn: AgentTurn
    proposals: list[AgentProposal]


class SentAgentTurn(Answer):
    """An accepted turn."""

    result: bool = True
    turn: AgentTurn
    remaining: Annotated[int, doc("Remaining turns of the business today.")]


class AgentTurnList(PagedAnswer):
    """A page of turns, newest first."""

    turns: list[AgentTurn]


class AgentEvent(Answer):
    """A piece of a turn: text, a tool call, its outcome, a proposal, or the end."""

    id: int
    agent_turn_id: int
    kind: Literal["text", "tool_call", "tool_result", "proposal", "end"]
    text: Annotated[str | None, doc("Next text of the agent; for the end, its status.")]
    data: Annotated[dict[str, Any] | None, doc("Tool and arguments, or the outcome.")]
    at: datetime


class AgentTicket(Answer):
    """Short-lived broker access to the topic of one conversation, for listening."""

    addresses: Annotated[
        list[str], doc("Addresses of the broker, which uses MQTT 3.1.1.", ["mqtts://agent.example:8883"])
    ]
    client_id: Annotated[str, doc("MQTT client id to use. A second connection with it ends the first.")]
    username: str
    password: Annotated[str, doc("Password, shown once; never the caller's own token.")]
    expires_at: Annotated[datetime, doc("Time when the broker ends the connection. Request another ticket before.")]


class AgentChannel(Answer):
    """Access to the events of a conversation."""

    result: bool = True
    topic: Annotated[str, doc("Broker topic of this conversation.", "haulier/agent/1/5/3")]
    ticket: Annotated[AgentTicket | None, doc("Ticket; null without a broker. Follow the stream instead.")]
    poll_s: Annotated[int, doc("Seconds between reads of the events: always without a broker, occasionally with one.")]


class PushedAgentEvent(Struct, frozen=True, kw_only=True, tag_field="type", tag="event"):
    """An event pushed by the broker.

    Read the events again if `previous_id` was missed.
    """

    id: int
    previous_id: int | None
    agent_session_id: int
    agent_turn_id: int
    kind: str
    text: str | None
    data: dict[str, Any] | None
    at: datetime


class AgentEventList(Answer):
    """Events in order, and how to continue."""

    result: bool = True
    events: list[AgentEvent]
    next_cursor: Annotated[str | None, doc("Cursor after the last event.")]
    more: Annotated[bool, doc("True if further events exist.")]


class AgentUsage(Answer):
    """Usage of the agent today, and the remainder."""

    result: bool = True
    day: Annotated[date, doc("Day in the business's time zone.")]
    daily_turns: Annotated[int, doc("Maximum turns per day.")]
    turns: int
    remaining: int
    input_tokens: int
    output_tokens: int
    cost_micro_usd: int
    month_turns: Annotated[int, doc("Turns since the first of the month.")]
    month_cost_micro_usd: int
    model: Annotated[str, doc("Name of the answerer; `clerk` is the one without a model.")]


class AgentPolicy(Answer, fields_of=SetAgentPolicy):
    """Spending limits of the agent."""

    result: bool = True
