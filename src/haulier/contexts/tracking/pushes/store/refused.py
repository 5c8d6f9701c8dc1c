"""The SQL of events that were refused after they had been queued."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Index, String, Text, UniqueConstraint, bindparam, delete, select

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork


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
    """Write what was refused; what was written before is written again."""
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
