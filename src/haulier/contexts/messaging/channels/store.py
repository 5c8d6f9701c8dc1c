"""The table of tickets for the broker. Of a password only the digest is kept."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Annotated

from sqlalchemy import Column, Index, LargeBinary, String, bindparam, delete, select, update

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE, UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork

_NO_CLIENT_YET = "the broker authenticates users before their client is known"
CONNECTION_MAX = 200


class TicketRow(
    Record,
    table="channel_ticket",
    items=[Index("ix_channel_ticket_about", "client_id", "about", "about_id")],
    kind=directory_table,
    why="the broker asks with a name and a password alone",
):
    """A ticket.

    `set_up_by` is the user who asked for the ticket and `set_up_with` their API token; null for devices and recipients.
    """

    client_id: int
    username: Annotated[str, Column("username", String(64), nullable=False, unique=True, info=VOLATILE)]
    password_sha256: Annotated[bytes, Column("password_sha256", LargeBinary(32), nullable=False, info=VOLATILE)]
    about: Annotated[str, String(20)]
    about_id: Reference
    holder: Annotated[str, String(40)]
    set_up_by: Reference | None
    set_up_with: Reference | None
    subscribe: list[str]
    publish: list[str]
    connection: Annotated[str, String(CONNECTION_MAX)] | None
    created_at: datetime
    expires_at: Annotated[datetime, Column("expires_at", UTCDateTime, nullable=False, index=True)]
    revoked_at: datetime | None


tickets = TicketRow.table
plain_columns(tickets, "username", "password_sha256", "about", "holder", "subscribe", "publish", "connection")


_by_username = select(tickets).where(tickets.c.username == bindparam("name"))
_live = select(tickets).where(
    tickets.c.about == bindparam("kind"),
    tickets.c.about_id == bindparam("record"),
    tickets.c.revoked_at.is_(None),
    tickets.c.expires_at > bindparam("now", type_=UTCDateTime),
)
_connected = (
    update(tickets)
    .where(tickets.c.id == bindparam("ticket"), tickets.c.revoked_at.is_(None))
    .values(connection=bindparam("link"))
)
_now = bindparam("now", type_=UTCDateTime)
_revoke = update(tickets).where(in_param(tickets.c.id, "ids")).values(revoked_at=_now, expires_at=_now)
_ended = (
    select(tickets)
    .where(tickets.c.expires_at <= _now, tickets.c.connection.is_not(None))
    .order_by(tickets.c.expires_at)
    .limit(bindparam("most"))
)
_told = update(tickets).where(in_param(tickets.c.id, "ids")).values(connection=None)
_over = delete(tickets).where(tickets.c.expires_at < bindparam("before"))
_over_and_told = _over.where(tickets.c.connection.is_(None))


async def find_ticket(work: UnitOfWork, username: str) -> TicketRow | None:
    """Return the ticket of a name, of any client, or None."""
    return await work.without_tenant_filter(_NO_CLIENT_YET).first(_by_username, TicketRow, name=username)


async def record_connection(work: UnitOfWork, ticket_id: int, connection: str) -> bool:
    """Record the connection of a ticket.

    Returns False if it was revoked in the meantime.
    """
    anybody = work.without_tenant_filter(_NO_CLIENT_YET)
    return await anybody.run(_connected, ticket=ticket_id, link=connection) == 1


async def list_live_tickets(work: UnitOfWork, about: str, about_id: int, now: datetime) -> Sequence[TicketRow]:
    """Return the tickets about a record that still open something."""
    return await work.all(_live, TicketRow, kind=about, record=about_id, now=now)


async def revoke(work: UnitOfWork, ids: Collection[int], now: datetime) -> None:
    """End tickets."""
    await work.run(_revoke, ids=list(ids), now=now)


async def list_ended_tickets(work: UnitOfWork, now: datetime, limit: int) -> Sequence[TicketRow]:
    """Return ended tickets of all clients with a recorded connection.

    Oldest end first.
    """
    return await work.without_tenant_filter(_NO_CLIENT_YET).all(_ended, TicketRow, now=now, most=limit)


async def delete_connections(work: UnitOfWork, ids: Collection[int]) -> None:
    """Mark the tickets of all clients as disconnected."""
    await work.without_tenant_filter(_NO_CLIENT_YET).run(_told, ids=list(ids))


async def delete_tickets_before(work: UnitOfWork, before: datetime, *, told: bool) -> int:
    """Delete the tickets of all clients that ended before a time.

    Returns their number. The flag limits it to those whose end the broker knows.
    """
    return await work.without_tenant_filter(_NO_CLIENT_YET).run(_over_and_told if told else _over, before=before)
