"""The tables of the agent: conversations, what was done in them, and what they cost a day."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Date,
    Index,
    Integer,
    String,
    Table,
    Text,
    cast,
    func,
    or_,
)
from sqlalchemy import UniqueConstraint as Unique

from haulier.contexts.control_tower.agent.contract import TITLE_MAX
from haulier.contexts.control_tower.agent.rules.lifecycle import ACTIVE_TURNS, EventKind, SessionStatus, TurnStatus
from haulier.kernel.data.personal_data import (
    ERASED,
    Find,
    PersonKey,
    PersonKeys,
    RecordKind,
    any_of,
    key_in,
    personal_data,
    plain_columns,
    redacted,
    retained,
)
from haulier.kernel.data.tables import Id, Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.operations.enums import Feature

sessions = tenant_table(
    "agent_session",
    Column("user_id", Id, nullable=False),
    Column("title", String(TITLE_MAX), nullable=False),
    Column("status", String(10), nullable=False, info={"enum": SessionStatus}),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Column("pushed_up_to", Id),
    Index("ix_agent_session_user", "client_id", "user_id", "updated_at"),
)
turns = tenant_table(
    "agent_turn",
    Column("agent_session_id", Id, nullable=False),
    Column("user_id", Id, nullable=False),
    Column("number", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("status", String(10), nullable=False, info={"enum": TurnStatus}),
    Column("ended_by", String(20)),
    Column("model", String(100)),
    Column("language", String(10), nullable=False),
    Column("token_id", Id),
    Column("scopes", Json, nullable=False),
    Column("steps", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_micro_usd", BigInteger, nullable=False),
    Column("asked_at", UTCDateTime, nullable=False),
    Column("started_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Unique("client_id", "agent_session_id", "number"),
)
"""`scopes` and `token_id` are what the person could do when they asked: a turn never does more."""
partial_unique_index(
    "ux_agent_turn_active",
    turns.c.status.in_(sorted(status.value for status in ACTIVE_TURNS)),
    turns.c.agent_session_id,
)
events = tenant_table(
    "agent_event",
    Column("agent_session_id", Id, nullable=False),
    Column("agent_turn_id", Id, nullable=False),
    Column("user_id", Id, nullable=False),
    Column("kind", String(20), nullable=False, info={"enum": EventKind}),
    Column("text", Text),
    Column("data", Json),
    Column("at", UTCDateTime, nullable=False),
    Index("ix_agent_event_session", "client_id", "agent_session_id", "id"),
)
usage = tenant_table(
    "agent_usage",
    Column("day", Date, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_micro_usd", BigInteger, nullable=False),
    Unique("client_id", "day"),
)
policies = tenant_table(
    "agent_policy",
    Column("daily_turns", Integer, nullable=False),
    Column("max_steps", Integer, nullable=False),
    Column("max_tokens", Integer, nullable=False),
    Column("max_seconds", Integer, nullable=False),
    Column("max_cost_micro_usd", BigInteger, nullable=False),
    Column("shows_prices", Boolean, nullable=False),
    Unique("client_id"),
)
for table in (sessions, turns, events, usage, policies):
    table.info["feature"] = Feature.OPERATIONS_AI_AGENT.value


def _written_by(table: Table) -> Find:
    """Rows of conversations that a person had, or in whose texts one of their contacts or names stands."""

    def find(keys: PersonKeys) -> ColumnElement[bool] | None:
        columns = table.c
        texts = [columns[name] for name in ("title", "question", "reply", "text") if name in columns]
        texts += [cast(columns.data, Text)] if "data" in columns else []
        known = [text for key in _TEXT_KEYS for text in sorted(keys.get(key, ()))]
        named = [func.lower(column).contains(text.lower(), autoescape=True) for column in texts for text in known]
        return any_of([key_in(columns.user_id, PersonKey.USER, keys), or_(*named) if named else None])

    return find


_TEXT_KEYS = (PersonKey.EMAIL, PersonKey.PHONE, PersonKey.NAME)
_PLAIN = ("status", "ended_by", "model", "language", "scopes")
personal_data(
    sessions,
    RecordKind.AGENT_CONVERSATIONS,
    find=_written_by(sessions),
    erased={"title": ERASED},
    plain=("status",),
)
personal_data(
    turns,
    RecordKind.AGENT_CONVERSATIONS,
    find=_written_by(turns),
    erased={"question": ERASED, "reply": ERASED},
    plain=_PLAIN,
)
personal_data(
    events,
    RecordKind.AGENT_CONVERSATIONS,
    find=_written_by(events),
    erased={"text": ERASED, "data": lambda row, keys: redacted(row.data)},
    plain=("kind",),
)
plain_columns(usage)
retained(
    RecordKind.AGENT_CONVERSATIONS,
    sessions.c.updated_at,
    children=(turns.c.agent_session_id, events.c.agent_session_id),
    default_days=90,
    minimum_days=1,
)
