"""Tickets for the broker, and what is pushed there: the events of a conversation, from the last one that it has on."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from haulier.contexts.control_tower.agent.contract import AgentChannel, AgentTicket, PushedAgentEvent
from haulier.contexts.control_tower.agent.store import sessions as session_store
from haulier.contexts.control_tower.agent.store import turns as turn_store
from haulier.contexts.control_tower.agent.store.turns import AgentEventRow
from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.messaging.public import (
    Channel,
    TicketHolder,
    issue_ticket,
    list_ticket_holders,
    make_topic,
    revoke_lost_tickets,
)
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import OFFICE, Feature

PUSH_JOB = "agent.push"
ABOUT = "agent_session"
POLL_S = 15
AT_ONCE = 200


class PushAgentSession(Struct, frozen=True, kw_only=True):
    """A conversation in which something happened."""

    agent_session_id: int


async def tell_broker(call: Call, session_id: int) -> None:
    """Have the broker told of a conversation, after the commit. Nothing happens where there is no broker."""
    if call.adapter(Channel).configured:
        await call.enqueue(PUSH_JOB, PushAgentSession(agent_session_id=session_id))


async def open_channel(call: Call, session_id: int) -> AgentChannel:
    """A ticket for the caller that opens the topic of this conversation of theirs alone, to listen."""
    channel, user_id = call.adapter(Channel), call.actor or 0
    topic = session_topic(channel, call.client_id, user_id, session_id)
    if not channel.configured:
        return AgentChannel(topic=topic, ticket=None, poll_s=POLL_S)
    holder = TicketHolder(about=ABOUT, about_id=session_id, holder=_holder(user_id))
    issued = await issue_ticket(call, holder, subscribe=[topic])
    ticket = AgentTicket(
        addresses=list(channel.addresses),
        client_id=issued.username,
        username=issued.username,
        password=issued.password,
        expires_at=call.local_time(issued.expires_at),
    )
    return AgentChannel(topic=topic, ticket=ticket, poll_s=POLL_S)


def session_topic(channel: Channel, client_id: int, user_id: int, session_id: int) -> str:
    """The topic of a conversation: `{prefix}/agent/{business_id}/{user_id}/{agent_session_id}`."""
    return make_topic(channel.prefix, "agent", client_id, user_id, session_id)


async def push_session(run: JobRun, session_id: int) -> None:
    """Bring the broker every event of a conversation that it does not have, oldest first.

    Whoever lost the right to it is cut off before. Two runs at once may push an event twice, never one before another: each
    begins at the first event that nobody has noted as pushed. Raises `ChannelUnavailable`.
    """
    await revoke_lost_tickets(run, ABOUT, session_id, await _rightful(run, session_id), "list_agent_turns")
    channel, more = run.app.adapter(Channel), True
    while more:
        async with run.app.database.read(run.client_id) as work:
            call = await call_as_system(run.app, run.client_id, work)
            session = await session_store.find_pushed(work, session_id)
            if session is None:
                return
            before = session.pushed_up_to or 0
            rows = await turn_store.list_event_rows(work, session_id, before, AT_ONCE)
        more = len(rows) == AT_ONCE
        if rows:
            topic = session_topic(channel, call.client_id, session.user_id, session_id)
            await channel.publish(topic, *map(msgspec.json.encode, _pushes(call, rows, session.pushed_up_to)))
            async with run.app.database.write(run.client_id) as work:
                await session_store.note_pushed(work, session_id, rows[-1].id)


async def _rightful(run: JobRun, session_id: int) -> set[str]:
    """The holders of tickets who may still hear the conversation: its person, as long as they are of the office."""
    if not await list_ticket_holders(run, ABOUT, session_id):
        return set()
    async with run.app.database.read(run.client_id) as work:
        call = await call_as_system(run.app, run.client_id, work)
        session = await session_store.find_pushed(work, session_id)
        if session is None or Feature.OPERATIONS_AI_AGENT not in call.business.features:
            return set()
        users = await get_users_by_id(call, {session.user_id})
    return {_holder(user.id) for user in users.values() if user.active and user.account in OFFICE}


def _holder(user_id: int) -> str:
    return f"user:{user_id}"


def _pushes(call: Call, rows: Sequence[AgentEventRow], before: int | None) -> list[PushedAgentEvent]:
    previous = [before, *(row.id for row in rows)]
    return [
        PushedAgentEvent(
            id=row.id,
            previous_id=previous_id,
            agent_session_id=row.agent_session_id,
            agent_turn_id=row.agent_turn_id,
            kind=row.kind,
            text=row.text,
            data=row.data,
            at=call.local_time(row.at),
        )
        for row, previous_id in zip(rows, previous, strict=False)
    ]
