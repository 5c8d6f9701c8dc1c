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
    """What to call it; the first question when left out."""


class ListAgentSessions(PageRequest):
    """Which conversations."""

    status: Annotated[Literal["open", "ended"], Field(examples=["open"])] | None = None
    """Only those with this status."""


class AgentSessionRef(Request):
    """Which conversation."""

    agent_session_id: AgentSessionId
    """The conversation's id."""


class ListAgentTurns(PageRequest):
    """Which conversation, and which page of it."""

    agent_session_id: AgentSessionId
    """The conversation's id."""


class SendAgentTurn(AgentSessionRef):
    """A question or a wish."""

    text: Annotated[str, Field(min_length=1, max_length=QUESTION_MAX, pattern=NO_NUL, examples=["What is late today?"])]
    """What the agent is asked, in the person's own words. Tokens and keys in it are not kept."""


class AgentTurnRef(Request):
    """Which turn."""

    agent_turn_id: AgentTurnId
    """The turn's id."""


class ListAgentEvents(AgentSessionRef):
    """What happened in a conversation since a cursor."""

    cursor: Annotated[str, Field(min_length=1, max_length=MAX_CURSOR_LENGTH, examples=["WzQyXQ"])] | None = None
    """Continues after the last event that was read; from the beginning when left out."""


class SetAgentPolicy(Request):
    """What a business lets its agent spend."""

    daily_turns: int = Field(default=DAILY_TURNS, ge=0, le=DAILY_TURNS_MAX)
    """Turns of the whole business in a day of its time zone; 0 stops the agent."""
    max_steps: int = Field(default=STEPS, ge=1, le=STEPS_MAX)
    """Answers of the model in one turn."""
    max_tokens: int = Field(default=TOKENS, ge=1000, le=TOKENS_MAX)
    """Tokens that one turn may read and write."""
    max_seconds: int = Field(default=SECONDS, ge=5, le=SECONDS_MAX)
    """How long one turn may take, in seconds."""
    max_cost_micro_usd: int = Field(default=COST_MICRO_USD, ge=0, le=COST_MICRO_USD_MAX)
    """What one turn may cost, in millionths of a US dollar, where the operator told the model's prices."""
    shows_prices: bool = False
    """Whether the model is shown prices; otherwise they are taken out of what tools give it."""


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
    """A write that the agent proposed; nothing happens before somebody approves it."""

    approval_id: int
    operation: str
    summary: Annotated[str, doc("What would be done to which records, in one line.")]
    status: Annotated[ApprovalStatus | None, doc("How it stands now; null once it is no longer kept.")]


class AgentRecord(Answer):
    """A record that a tool gave."""

    field: Annotated[str, doc("What its id is called elsewhere.", "order_id")]
    id: int
    name: Annotated[str | None, doc("What people call it, such as an order's reference.")]


class AgentToolUse(Answer):
    """A tool that was called in a turn, and what came of it."""

    tool: str
    arguments: dict[str, Any]
    code: Annotated[str | None, doc("Of a refusal, its code.")]
    message: Annotated[str | None, doc("Of a refusal, why.")]
    records: Annotated[list[AgentRecord], doc("What the answer rests on: the first records that the tool gave.")]
    proposal: Annotated[AgentProposal | None, doc("The write that it became.")]


class AgentTurn(Answer):
    """A question and what came of it."""

    id: int
    agent_session_id: int
    number: Annotated[int, doc("Which turn of the conversation, from 1.")]
    text: Annotated[str, doc("The question.")]
    reply: Annotated[str, doc("The answer, as far as it is written.")]
    status: TurnStatus
    ended_by: Annotated[
        str | None,
        doc("Why it ended without an answer: a limit (steps, tokens, seconds, cost), model, rights, person."),
    ]
    model: Annotated[str | None, doc("What answered; `clerk` is the answerer without a model.")]
    steps: Annotated[int, doc("How often the model was asked.")]
    input_tokens: int
    output_tokens: int
    cost_micro_usd: Annotated[int, doc("Millionths of a US dollar; 0 where the model's prices are not told.")]
    asked_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    tools: Annotated[list[AgentToolUse], doc("The tools that were called for it, in order.")]


class AgentTurnAnswer(Answer):
    """One turn, with what it proposed."""

    result: bool = True
    turn: AgentTurn
    proposals: list[AgentProposal]


class SentAgentTurn(Answer):
    """A turn that was taken."""

    result: bool = True
    turn: AgentTurn
    remaining: Annotated[int, doc("Turns that the business has left today.")]


class AgentTurnList(PagedAnswer):
    """A page of turns, newest first."""

    turns: list[AgentTurn]


class AgentEvent(Answer):
    """A piece of a turn: text, a tool that is called, its outcome, a proposal, or the end."""

    id: int
    agent_turn_id: int
    kind: Literal["text", "tool_call", "tool_result", "proposal", "end"]
    text: Annotated[str | None, doc("What the agent wrote next; of the end, its status.")]
    data: Annotated[dict[str, Any] | None, doc("The tool and its arguments, or what came of it.")]
    at: datetime


class AgentTicket(Answer):
    """A way in at the broker, for minutes. It opens the topic of one conversation, to listen."""

    addresses: Annotated[list[str], doc("Where the broker is; it speaks MQTT 3.1.1", ["mqtts://agent.example:8883"])]
    client_id: Annotated[str, doc("What the program must call itself there; a second connection ends the first")]
    username: str
    password: Annotated[str, doc("Shown this once; never the caller's own token")]
    expires_at: Annotated[datetime, doc("The broker then ends the connection; ask for another before")]


class AgentChannel(Answer):
    """How to hear of what happens in a conversation."""

    result: bool = True
    topic: Annotated[str, doc("The topic of this conversation at the broker", "haulier/agent/1/5/3")]
    ticket: Annotated[AgentTicket | None, doc("Null where the service runs without a broker: then follow the stream")]
    poll_s: Annotated[
        int, doc("After so many seconds to read the events again without one, and once in a while with one")
    ]


class PushedAgentEvent(Struct, frozen=True, kw_only=True, tag_field="type", tag="event"):
    """What comes over the broker. Who misses the one before (`previous_id`) reads the events again."""

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
    next_cursor: Annotated[str | None, doc("Continues the list after its last event.")]
    more: Annotated[bool, doc("Whether there are further events by now.")]


class AgentUsage(Answer):
    """What the agent was used for today, and may still be."""

    result: bool = True
    day: Annotated[date, doc("In the business's time zone.")]
    daily_turns: Annotated[int, doc("The cap.")]
    turns: int
    remaining: int
    input_tokens: int
    output_tokens: int
    cost_micro_usd: int
    month_turns: Annotated[int, doc("Since the first of the month.")]
    month_cost_micro_usd: int
    model: Annotated[str, doc("What answers; `clerk` is the answerer without a model.")]


class AgentPolicy(Answer, fields_of=SetAgentPolicy):
    """What a business lets its agent spend."""

    result: bool = True
