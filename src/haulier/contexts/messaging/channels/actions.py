"""Issuing, checking and ending tickets."""

import asyncio
import hmac
import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from functools import partial

from msgspec import Struct

from haulier.contexts.identity.public import get_set_up_columns, list_entitled
from haulier.contexts.messaging.channels import store
from haulier.contexts.messaging.channels.rules import TICKET_LIFETIME, TicketHolder
from haulier.contexts.messaging.channels.store import TicketRow
from haulier.contexts.messaging.ports import Channel, ChannelGrant, ChannelSignIn, ChannelUnavailable
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.job_run import JobRun
from haulier.kernel.values.ids import hash_token, make_opaque_token

END_EVERY_S, END_AT_ONCE = 2.0, 100
"""Interval and batch size for reporting ended tickets to a broker that holds tickets."""
log = logging.getLogger("haulier.channel")


class IssuedTicket(Struct, frozen=True, kw_only=True):
    """A temporary name and password for the broker. The password is shown once."""

    username: str
    password: str
    expires_at: datetime


async def issue_ticket(
    call: Call,
    holder: TicketHolder,
    *,
    subscribe: Collection[str] = (),
    publish: Collection[str] = (),
    lifetime: timedelta = TICKET_LIFETIME,
) -> IssuedTicket:
    """Return a ticket for exactly these topics.

    Topics are made by `make_topic`, so without wildcards. A broker that does not ask at sign-ins is informed after the
    commit. If it is unreachable, it never learns of the ticket, and the holder must request another.
    """
    channel = call.adapter(Channel)
    username, password = make_opaque_token("hlticket"), make_opaque_token("hlchannel")
    expires_at = call.now + lifetime
    await TicketRow.insert(
        call.work,
        username=username,
        password_sha256=hash_token(password),
        about=holder.about,
        about_id=holder.about_id,
        holder=holder.holder,
        **await get_set_up_columns(call),
        subscribe=list(subscribe),
        publish=list(publish),
        connection=None if channel.asks_sign_ins else username,
        created_at=call.now,
        expires_at=expires_at,
        revoked_at=None,
    )
    if channel.configured and not channel.asks_sign_ins:
        whole_s = int(lifetime.total_seconds())
        grant = ChannelGrant(subscribe=tuple(subscribe), publish=tuple(publish), lifetime_s=whole_s)
        call.work.after_commit(partial(_admit, call.app, username, password, grant))
    return IssuedTicket(username=username, password=password, expires_at=expires_at)


async def _admit(app: Application, username: str, password: str, grant: ChannelGrant) -> None:
    """Tell the broker of a ticket, and take it back if it was revoked meanwhile."""
    channel = app.adapter(Channel)
    try:
        await channel.admit(username, password, grant)
        async with app.database.read(None) as work:
            row = await store.find_ticket(work, username)
        if row is None or row.revoked_at is not None:
            await channel.disconnect(username)
    except ChannelUnavailable as error:
        log.warning("the broker does not know a new ticket: %s", error)


async def check_sign_in(app: Application, sign_in: ChannelSignIn) -> ChannelGrant | None:
    """Return the topics that a name and password open at the broker, or None.

    A program must identify itself as its ticket does, so that the broker admits one connection per ticket.
    """
    now = app.clock()
    async with app.database.write(None) as work:
        row = await store.find_ticket(work, sign_in.username)
        if row is None or not _is_valid(row, sign_in, now):
            return None
        if not await store.record_connection(work, row.id, sign_in.connection[: store.CONNECTION_MAX]):
            return None
    left_s = max(1, int((row.expires_at - now).total_seconds()))
    return ChannelGrant(subscribe=tuple(row.subscribe), publish=tuple(row.publish), lifetime_s=left_s)


def _is_valid(row: TicketRow, sign_in: ChannelSignIn, now: datetime) -> bool:
    proven = hmac.compare_digest(row.password_sha256, hash_token(sign_in.password))
    return proven and sign_in.device == row.username and row.revoked_at is None and row.expires_at > now


async def revoke_lost_tickets(
    run: JobRun, about: str, about_id: int, holders: Collection[str], read_by: str | None = None
) -> None:
    """End the tickets about a record of other holders, and cut their connections.

    With `read_by`, also those whose user or token can no longer read the data by that operation. Raises
    `ChannelUnavailable`.
    """
    app, client_id = run.app, run.client_id
    async with app.database.read(client_id) as work:
        live = await store.list_live_tickets(work, about, about_id, app.clock())
        lost = [row for row in live if row.holder not in holders]
        if read_by and (set_up := {(row.set_up_by, row.set_up_with) for row in live if row.set_up_by is not None}):
            call = await call_as_system(app, client_id, work)
            lost_set_ups = set_up - await list_entitled(call, set_up, read_by)
            lost += [row for row in live if row not in lost and (row.set_up_by, row.set_up_with) in lost_set_ups]
    if not lost:
        return
    async with app.database.write(client_id) as work:
        await store.revoke(work, [row.id for row in lost], app.clock())
        # Read again: sign-ins since then are recorded by now, and later ones find the ticket revoked.
        lost = [ticket for row in lost if (ticket := await store.find_ticket(work, row.username))]
    for row in lost:
        if row.connection:
            await app.adapter(Channel).disconnect(row.connection)


async def list_ticket_holders(run: JobRun, about: str, about_id: int) -> set[str]:
    """Return the holders of valid tickets about a record."""
    async with run.app.database.read(run.client_id) as work:
        return {row.holder for row in await store.list_live_tickets(work, about, about_id, run.app.clock())}


async def end_tickets(app: Application) -> None:
    """Report ended tickets to a broker that holds tickets.

    Raises `ChannelUnavailable`; the rest waits.
    """
    channel = app.adapter(Channel)
    async with app.database.read(None) as work:
        ended = await store.list_ended_tickets(work, app.clock(), END_AT_ONCE)
    for row in ended:
        await channel.disconnect(row.username)
    if ended:
        async with app.database.write(None) as work:
            await store.delete_connections(work, [row.id for row in ended])


async def end_tickets_forever(app: Application) -> None:
    """Run `end_tickets` every few seconds until cancelled, despite failures."""
    while True:
        try:
            await end_tickets(app)
        except Exception as error:
            log.warning("tickets that ended could not be taken back: %s", error)
        await asyncio.sleep(END_EVERY_S)
