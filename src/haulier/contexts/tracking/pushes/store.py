"""Tables and statements of pushes."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    bindparam,
    delete,
    func,
    select,
    update,
)

from haulier.contexts.tracking.pushes.rules import CarrierMessageStatus
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

carrier_messages = tenant_table(
    "tracking_carrier_message",
    Column("push_id", String(32), nullable=False),
    Column("origin", String(10), nullable=False),
    Column("sender", String(40), nullable=False),
    Column("carrier", String(120), nullable=False),
    Column("provider_id", Id),
    Column("tracking_number", String(100), nullable=False),
    Column("status", String(10), nullable=False),
    Column("received_at", UTCDateTime, nullable=False),
    Column("reasons", Json, nullable=False),
    Column("document", Text, nullable=False),
    Column("replays", Integer, nullable=False),
    Column("replayed_at", UTCDateTime),
    Column("replayed_by", Id),
    Column("applied_at", UTCDateTime),
    UniqueConstraint("client_id", "push_id"),
    Index("ix_tracking_carrier_message_status", "client_id", "status", "id"),
    Index("ix_tracking_carrier_message_number", "client_id", "tracking_number", "id"),
    Index("ix_tracking_carrier_message_at", "received_at"),
)
"""One for each webhook, and one for each scan of a poll. `push_id` is a digest, so a repeat is stored once."""
personal_data(
    carrier_messages,
    RecordKind.REFUSED_PUSHES,
    by={"tracking_number": PersonKey.TRACKING_NUMBER},
    plain=("push_id", "origin", "sender", "carrier", "status"),
)
retained(RecordKind.REFUSED_PUSHES, carrier_messages.c.received_at, default_days=30)

_listed = [column for column in carrier_messages.c if column.name != "document"]
_by_id = select(carrier_messages).where(carrier_messages.c.id == bindparam("message"))
_by_id_locked = _by_id.with_for_update()
_documents = select(carrier_messages.c.push_id, carrier_messages.c.document).where(
    in_param(carrier_messages.c.push_id, "pushes")
)
_update = update(carrier_messages).where(carrier_messages.c.id == bindparam("message"))
_update_open_reasons = (
    update(carrier_messages)
    .where(
        carrier_messages.c.push_id == bindparam("push"), carrier_messages.c.status == CarrierMessageStatus.OPEN.value
    )
    .values(reasons=bindparam("why", type_=carrier_messages.c.reasons.type))
)


class ListedMessageRow(Row):
    """A message without its document."""

    id: int
    push_id: str
    origin: str
    sender: str
    carrier: str
    provider_id: int | None
    tracking_number: str
    status: str
    received_at: datetime
    reasons: list[dict[str, Any]]
    replays: int
    replayed_at: datetime | None
    replayed_by: int | None
    applied_at: datetime | None


class CarrierMessageRow(ListedMessageRow):
    """A message."""

    document: str


async def insert_messages(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Write messages that are not stored yet. Returns their push ids."""
    first = {"status": CarrierMessageStatus.OPEN.value, "replays": 0}
    written = await work.insert_new(carrier_messages, [{**first, **row} for row in rows], returning=("push_id",))
    return {row.push_id for row in written}


async def update_open_reasons(work: UnitOfWork, push_id: str, reasons: list[dict[str, Any]]) -> None:
    """Replace the reasons of an open message."""
    await work.run(_update_open_reasons, push=push_id, why=reasons)


async def update_message(work: UnitOfWork, message_id: int, **values: Any) -> None:
    """Change a message."""
    await work.run(_update.values(**values), message=message_id)


async def get_message_row(work: UnitOfWork, message_id: int, *, lock: bool = False) -> CarrierMessageRow | None:
    """Return a message, or None."""
    return await work.first(_by_id_locked if lock else _by_id, CarrierMessageRow, message=message_id)


async def get_documents(work: UnitOfWork, push_ids: Collection[str]) -> dict[str, str]:
    """Return the stored documents of some pushes, by push id."""
    rows = await work.all(_documents, pushes=list(push_ids)) if push_ids else []
    return {row.push_id: row.document for row in rows}


async def list_message_rows(
    work: UnitOfWork, equal: Mapping[str, Any], *, limit: int, offset: int, most: int
) -> tuple[list[ListedMessageRow], int]:
    """Return a page of messages, newest first, and their number, counted up to `most`."""
    found: list[ColumnElement[bool]] = [
        carrier_messages.c[name] == value for name, value in equal.items() if value is not None
    ]
    counted = select(carrier_messages.c.id).where(*found).limit(most).subquery()
    total = await work.value(select(func.count()).select_from(counted))
    page = select(*_listed).where(*found).order_by(carrier_messages.c.id.desc()).limit(limit).offset(offset)
    return await work.all(page, ListedMessageRow), total


class RefusedPushRow(
    Record,
    table="tracking_refused_push",
    items=[
        UniqueConstraint("client_id", "push_id", "path"),
        Index("ix_tracking_refused_push_newest", "client_id", "id"),
        Index("ix_tracking_refused_push_provider", "client_id", "provider_id", "id"),
        Index("ix_tracking_refused_push_number", "client_id", "tracking_number", "id"),
        Index("ix_tracking_refused_push_at", "refused_at"),
    ],
):
    """An event that was refused after it had been queued.

    One for each event of a document. A message that comes twice is refused once.
    """

    provider_id: Reference
    push_id: Annotated[str, String(32)]
    path: Annotated[str, String(200)]
    pushed_at: datetime
    refused_at: datetime
    tracking_number: Annotated[str, String(100)]
    reference: Annotated[str, Text] | None
    status_code: Annotated[str, String(60)]
    occurred_at: datetime
    reasons: list[dict[str, Any]]


refused_pushes = RefusedPushRow.table
personal_data(refused_pushes, RecordKind.REFUSED_PUSHES, by={"tracking_number": PersonKey.TRACKING_NUMBER})
retained(RecordKind.REFUSED_PUSHES, refused_pushes.c.refused_at, default_days=30)
_delete_of_push = delete(refused_pushes).where(refused_pushes.c.push_id == bindparam("push"))


async def upsert_refused_pushes(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert or update rejected events."""
    await work.upsert_many(refused_pushes, ("push_id", "path"), rows)


async def delete_refused_of_push(work: UnitOfWork, push_id: str) -> None:
    """Delete the refused events of a push."""
    await work.run(_delete_of_push, push=push_id)


async def list_refused_push_rows(
    work: UnitOfWork, limit: int, *, after: int | None, since: datetime | None, **filters: Any
) -> list[RefusedPushRow]:
    """Refused events, newest first; those older than `after` when it is given."""
    statement = select(refused_pushes).order_by(refused_pushes.c.id.desc()).limit(bindparam("most"))
    params: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
    for name in params:
        statement = statement.where(refused_pushes.c[name] == bindparam(name))
    if after is not None:
        statement, params = statement.where(refused_pushes.c.id < bindparam("after")), {**params, "after": after}
    if since is not None:
        statement, params = (
            statement.where(refused_pushes.c.refused_at >= bindparam("since")),
            params | {"since": since},
        )
    return await work.all(statement, RefusedPushRow, most=limit, **params)
