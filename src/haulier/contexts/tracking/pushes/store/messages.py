"""The SQL of carriers' messages that were not, or not wholly, understood."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    ColumnElement,
    Index,
    String,
    Text,
    UniqueConstraint,
    bindparam,
    func,
    select,
    update,
)

from haulier.contexts.tracking.pushes.rules import CarrierMessageStatus
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class ListedMessageRow(
    Record,
    table="tracking_carrier_message",
    items=[
        UniqueConstraint("client_id", "push_id"),
        Index("ix_tracking_carrier_message_status", "client_id", "status", "id"),
        Index("ix_tracking_carrier_message_number", "client_id", "tracking_number", "id"),
        Index("ix_tracking_carrier_message_at", "received_at"),
    ],
):
    """A message without its document.

    One for each webhook, and one for each scan of a poll. `push_id` is a digest, so a repeat is stored once.
    """

    push_id: Annotated[str, String(32)]
    origin: Annotated[str, String(10)]
    sender: Annotated[str, String(40)]
    carrier: Annotated[str, String(120)]
    provider_id: Reference | None
    tracking_number: Annotated[str, String(100)]
    status: Annotated[str, String(10)]
    received_at: datetime
    reasons: list[dict[str, Any]]
    document: Annotated[str, Text]
    replays: int
    replayed_at: datetime | None
    replayed_by: Reference | None
    applied_at: datetime | None


carrier_messages = ListedMessageRow.table
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
_update_open_reasons = (
    update(carrier_messages)
    .where(
        carrier_messages.c.push_id == bindparam("push"), carrier_messages.c.status == CarrierMessageStatus.OPEN.value
    )
    .values(reasons=bindparam("why", type_=carrier_messages.c.reasons.type))
)


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
