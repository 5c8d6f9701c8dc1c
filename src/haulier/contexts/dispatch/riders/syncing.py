"""The offline queue: events are kept once, tried in the order in which they happened, and wait for what is still to come.

An event that builds on another one (a delivery on the start of its route) is not refused when it comes first: it waits, and
is tried again whenever its device is heard of. What was collected or not delivered before a return to the depot that we
already know of is handed in at that return. So however a day's events are cut into calls, mixed up or repeated, the day ends
the same.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.riders.contract.syncing import DeviceEvent, EventReceipt
from haulier.contexts.dispatch.riders.deeds import perform
from haulier.contexts.dispatch.riders.rules.queue import (
    BEFORE_IT_IS_MISSING,
    EVENT_NEVER_FITTED,
    DeviceEventKind,
    EventFate,
    Queued,
    given_up,
    held_by_link,
    may_come,
    turn,
)
from haulier.contexts.dispatch.riders.store import positions, queue
from haulier.kernel.call import Call
from haulier.kernel.data.work import Conflict
from haulier.kernel.errors import CONFLICT, INVALID_REQUEST, Refusal

COMES_ABOARD = frozenset({DeviceEventKind.PICK_UP, DeviceEventKind.FAIL})
"""After these the vehicle holds something that belongs to the depot."""

TRIES_MAX = 3_000
"""So many attempts in one call; what is left is tried when the device is heard of next."""


class Verdict(Struct, frozen=True):
    """What became of an event, and why where it was not applied."""

    fate: EventFate
    refusal: Refusal | None = None


async def take_in(call: Call, driver: Any, events: Sequence[DeviceEvent]) -> dict[str, Any]:
    """Keep the events that are new. Returns the rows of those that were known before."""
    await positions.hold(call.work, driver.id)
    readable = {event.id: event for event in reversed(events) if event.unread is None}
    known = await queue.known(call.work, driver.id, readable)
    fresh = [event for id, event in readable.items() if id not in known]
    await queue.take_in(call.work, driver.id, [_row(call, event) for event in fresh])
    return known


async def work_through(call: Call, driver: Any) -> dict[str, Verdict]:
    """Try everything that waits, until nothing more fits; what became of each event."""
    waiting = await queue.waiting(call.work, driver.id)
    aboard = {event.body["route_id"] for event in waiting if event.kind in COMES_ABOARD}
    returns = await queue.applied_returns(call.work, driver.id, aboard)
    links = await queue.known(call.work, driver.id, [event.after for event in waiting if event.after])
    settled = {id for id, row in links.items() if row.fate != EventFate.WAITING}
    verdicts: dict[str, Verdict] = {}
    left, tries = sorted([*waiting, *returns], key=turn), TRIES_MAX
    while left and tries > 0:
        before = len(settled)
        for event in left[:tries]:
            verdict = await _try(call, driver, event, settled)
            if not event.again:
                verdicts[event.id] = verdict
            if verdict.fate is not EventFate.WAITING:
                settled.add(event.id)
        tries -= len(left)
        if len(settled) == before:
            break
        left = [event for event in left if event.again or event.id not in settled]
    await queue.settle(call.work, driver.id, [_settled(id, verdict) for id, verdict in verdicts.items()], call.now)
    return verdicts


async def _try(call: Call, driver: Any, event: Queued, settled: set[str]) -> Verdict:
    if held_by_link(event, settled, call.now):
        return Verdict(EventFate.WAITING, BEFORE_IT_IS_MISSING(event_id=event.after))
    letters, touched = len(call.letters), len(call.touched)
    try:
        async with call.work.savepoint():
            await perform(call, driver, event)
    except (Refusal, Conflict) as error:
        del call.letters[letters:], call.touched[touched:]
        refusal = error if isinstance(error, Refusal) else CONFLICT()
        if not may_come(refusal.problem.id, refusal.params):
            return Verdict(EventFate.REFUSED, refusal)
        if given_up(event, call.now):
            return Verdict(EventFate.REFUSED, EVENT_NEVER_FITTED(event_id=event.id))
        return Verdict(EventFate.WAITING, refusal)
    return Verdict(EventFate.APPLIED)


def receipts(
    call: Call, events: Sequence[DeviceEvent], known: Mapping[str, Any], verdicts: Mapping[str, Verdict]
) -> list[EventReceipt]:
    """A receipt for every event of a call, in its order; of one that the call names twice, the second is a duplicate."""
    seen: set[str] = set(known)
    told: list[EventReceipt] = []
    for event in events:
        if event.unread is not None:
            told.append(_unreadable(call, event))
            continue
        duplicate = event.id in seen
        seen.add(event.id)
        if event.id in verdicts:
            told.append(receipt(call, event.id, verdicts[event.id], duplicate=duplicate))
        else:
            told.append(_repeated(call, known[event.id]))
    return told


def receipt(call: Call, id: str, verdict: Verdict, *, duplicate: bool = False) -> EventReceipt:
    """What became of an event, in the caller's language."""
    refusal = verdict.refusal
    return EventReceipt(
        id=id,
        fate=verdict.fate,
        duplicate=duplicate,
        code=refusal.problem.code if refusal else None,
        message=call.say(refusal.problem.id, **refusal.params) if refusal else None,
        fields=[fault.field for fault in refusal.faults] if refusal else [],
    )


def _repeated(call: Call, row: Any) -> EventReceipt:
    return EventReceipt(
        id=row.event_id,
        fate=EventFate(row.fate),
        duplicate=True,
        code=row.code and row.code.upper(),
        message=call.say(row.code, **(row.params or {})) if row.code else None,
    )


def _unreadable(call: Call, event: DeviceEvent) -> EventReceipt:
    return EventReceipt(
        id=event.id,
        fate=EventFate.REFUSED,
        duplicate=False,
        code=INVALID_REQUEST.code,
        message=call.say(INVALID_REQUEST.id),
        fields=[event.unread or ""],
    )


def _row(call: Call, event: DeviceEvent) -> dict[str, Any]:
    body = event.model_dump(mode="json", exclude_none=True, exclude={"id", "kind", "occurred_at", "after"})
    return {
        "event_id": event.id,
        "after": event.after,
        "kind": event.kind,
        "route_id": event.route_id,
        "occurred_at": event.occurred_at,
        "received_at": call.now,
        "body": body,
    }


def _settled(id: str, verdict: Verdict) -> dict[str, Any]:
    refusal = verdict.refusal
    return {
        "event": id,
        "new_fate": verdict.fate,
        "new_code": refusal.problem.id if refusal else None,
        "new_params": dict(refusal.params) if refusal else None,
    }
