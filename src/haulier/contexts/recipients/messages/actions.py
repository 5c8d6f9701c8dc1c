"""Writes of messages for other families.

Messages about the events of a transaction are inserted and enqueued in that transaction.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.orders.delivery_orders.rules.lifecycle import UNDOING_STEPS
from haulier.contexts.orders.events import DeliveryPinRenewed, OrderChanged, OrderCreated, OrderStatusChanged
from haulier.contexts.orders.public import OrderStep, RecipientFacts, get_recipient_facts
from haulier.contexts.recipients.messages import store
from haulier.contexts.recipients.messages.notifications import (
    NEVER_SENT,
    SEND_JOB,
    QueuedMessage,
    SendRecipientMessages,
)
from haulier.contexts.recipients.messages.queries import KnownMessagePolicies
from haulier.contexts.recipients.messages.rules import (
    CORRECTS,
    DELIVERY_NEWS,
    STOPS_BEFORE_MAX,
    TRUE_IN,
    MessagePolicy,
    OpenVisit,
    RecipientMessage,
    Transport,
    chosen_transports,
    count_visits_before,
    is_same_promise,
    policy_for_customer,
    promise_of,
    send_time,
    sms_number,
)
from haulier.contexts.recipients.messages.store import RecipientMessageRow
from haulier.contexts.routes.events import RoutePublished, StopCompleted, StopFailed
from haulier.contexts.routes.public import StopRow, list_stops_of_orders, list_stops_of_routes
from haulier.contexts.routes.stops.rules import OPEN, UNSUCCESSFUL, FailedStopOutcome, StopKind, StopStatus
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call

JOB_SIZE = 200
"""Messages per job. Each is sent and settled separately; a repeated job sends the rest."""
NEWS = (OrderCreated, OrderChanged, OrderStatusChanged, DeliveryPinRenewed, RoutePublished, StopCompleted, StopFailed)
_BY_STEP = {
    OrderStep.DELIVER: RecipientMessage.DELIVERED,
    OrderStep.RETURN: RecipientMessage.RETURNED,
    OrderStep.REJECT: RecipientMessage.RETURNED,
    OrderStep.CANCEL: RecipientMessage.CANCELLED,
    OrderStep.READY_FOR_PICKUP: RecipientMessage.READY_FOR_PICKUP,
    OrderStep.COLLECT: RecipientMessage.DELIVERED,
    OrderStep.REOPEN: RecipientMessage.NEW_ATTEMPT,
    **dict.fromkeys(UNDOING_STEPS, RecipientMessage.NOT_DELIVERED),
}
ABOUT_DELIVERY = frozenset({RecipientMessage.ACCEPTED, RecipientMessage.SCHEDULED})
"""Messages that announce a delivery, which are not sent about an order that the recipient collects."""
_LEAVING = {OrderStep.START, OrderStep.PICK_UP}


class Occasion(Struct, frozen=True):
    """Reason for a message about an order, with the message's additional data."""

    order_id: int
    message: RecipientMessage
    facts: dict[str, Any] = {}
    transport: Transport | None = None
    """Only transport of the message. None if the policy decides."""


@before_commit(*NEWS)
async def collect_recipient_messages(call: Call, events: Sequence[DomainEvent]) -> None:
    """Record and enqueue the messages to recipients about these events.

    Runs no statement for businesses that send no messages.
    """
    news = [event for event in events if isinstance(event, NEWS)]
    client_id = call.principal.client_id
    if client_id is None or not news:
        return
    if call.work.client_id != client_id:
        call = replace(call, work=call.work.for_tenant(client_id, "the recipients of a client's own orders"))
    policy = await call.adapter(KnownMessagePolicies).of(call.work)
    if policy is None:
        return
    occasions = [*await _occasions_of_orders(call, news), *await _occasions_of_routes(call, news)]
    orders = await get_recipient_facts(call, {occasion.order_id for occasion in occasions})
    occasions = [_at_depot(orders.get(each.order_id), each) for each in occasions]
    occasions = [each for each in occasions if _concerns_recipient(orders.get(each.order_id), each)]
    new = {event.order_id for event in news if isinstance(event, OrderCreated)}
    fresh = await _untold(call, [each for each in occasions if each.message not in CORRECTS], orders, new)
    corrections = await _due_corrections(call, [each for each in occasions if each.message in CORRECTS])
    await _write_messages(call, policy, orders, [*fresh, *corrections])


def _at_depot(order: RecipientFacts | None, occasion: Occasion) -> Occasion:
    """Return the occasion, which for a new PIN at a depot is a new pickup code."""
    if occasion.message is RecipientMessage.NEW_PIN and order is not None and order.pickup_ready_at is not None:
        return replace(occasion, message=RecipientMessage.READY_FOR_PICKUP)
    return occasion


def _concerns_recipient(order: RecipientFacts | None, occasion: Occasion) -> bool:
    """Return True if the occasion should be reported to a recipient.

    A pickup has no recipient, a rerouted order continues under another number, and a PIN that is renewed before
    departure is first reported on departure.
    """
    if order is None or order.type == "P" or not order.consignee:
        return False
    if order.pickup_depot_id is not None and occasion.message in ABOUT_DELIVERY:
        return False
    if occasion.message is RecipientMessage.NEW_PIN:
        return order.status in TRUE_IN[occasion.message] and not order.third_party_held
    return not (occasion.message is RecipientMessage.CANCELLED and order.replaced_by_order_id)


async def _occasions_of_orders(call: Call, news: Sequence[DomainEvent]) -> list[Occasion]:
    steps = {event.order_id: OrderStep(event.step) for event in news if _is_step(event)}  # type: ignore[attr-defined]
    at_stops = {id for id, step in steps.items() if step in _LEAVING or step is OrderStep.FAIL}
    stops: dict[int, list[StopRow]] = {}
    for stop in await list_stops_of_orders(call, at_stops) if at_stops else ():
        stops.setdefault(stop.order_id, []).append(stop)
    occasions: list[Occasion] = []
    for event in news:
        if isinstance(event, OrderCreated):
            occasions.append(Occasion(event.order_id, RecipientMessage.ACCEPTED))
        elif isinstance(event, OrderChanged):
            occasions.append(Occasion(event.order_id, RecipientMessage.SCHEDULED))
        elif isinstance(event, DeliveryPinRenewed):
            occasions.append(Occasion(event.order_id, RecipientMessage.NEW_PIN))
    told = ((id, _message_of_step(step, stops.get(id, ()))) for id, step in steps.items())
    return [*occasions, *(Occasion(id, message) for id, message in told if message)]


def _is_step(event: DomainEvent) -> bool:
    return isinstance(event, OrderStatusChanged) and event.step in frozenset(OrderStep)


def _message_of_step(step: OrderStep, stops: Sequence[StopRow]) -> RecipientMessage | None:
    """Return the message for a step, or None until goods are collected elsewhere."""
    pickups = {StopStatus(stop.status) for stop in stops if stop.kind == StopKind.PICKUP}
    if step in _LEAVING:
        return None if pickups & OPEN else RecipientMessage.OUT_FOR_DELIVERY
    if step is OrderStep.FAIL:
        if pickups & UNSUCCESSFUL:
            return None
        goes_back = any(stop.outcome == FailedStopOutcome.RETURN for stop in stops)
        return RecipientMessage.RETURNED if goes_back else RecipientMessage.MISSED
    return _BY_STEP.get(step)


async def _occasions_of_routes(call: Call, news: Sequence[DomainEvent]) -> list[Occasion]:
    """Return newly announced days and visits that are now near."""
    published = {event.route_id: event.day for event in news if isinstance(event, RoutePublished)}
    driven = {event.route_id for event in news if isinstance(event, StopCompleted | StopFailed)}
    if not published and not driven:
        return []
    rows = await list_stops_of_routes(call, {*published, *driven})
    occasions: list[Occasion] = []
    for route_id, stops in groupby(rows, key=lambda stop: stop.route_id):
        if route_id in published:
            day = {"day": published[route_id].isoformat()}
            occasions += [Occasion(stop.order_id, RecipientMessage.SCHEDULED, day) for stop in stops]
        else:
            near = count_visits_before(list(_open_visits(stops)), STOPS_BEFORE_MAX)
            facts = {id: {"route_id": route_id, "stops": before} for id, before in near.items()}
            occasions += [Occasion(id, RecipientMessage.STOPS_BEFORE, each) for id, each in facts.items()]
    return occasions


def _open_visits(stops: Iterable[StopRow]) -> Iterable[OpenVisit]:
    for stop in stops:
        if StopStatus(stop.status) in OPEN:
            yield OpenVisit(stop.order_id, stop.kind == StopKind.DELIVERY)


async def _untold(
    call: Call, occasions: Sequence[Occasion], orders: dict[int, RecipientFacts], new: Collection[int]
) -> list[Occasion]:
    """Return the occasions that are news.

    A promise is news if it differs from the last one reported, a near visit once per route. Nothing has been
    reported about `new` orders.
    """
    kinds = {RecipientMessage.ACCEPTED, RecipientMessage.SCHEDULED, RecipientMessage.STOPS_BEFORE}
    asked = {each.order_id for each in occasions if each.message in kinds and each.order_id not in new}
    told = await store.list_notified(call.work, asked, kinds)
    near = {(row.order_id, row.facts.get("route_id")) for row in told if row.message == RecipientMessage.STOPS_BEFORE}
    promises = {row.order_id: row.facts.get("promise") for row in told if row.message != RecipientMessage.STOPS_BEFORE}
    fresh: list[Occasion] = []
    for each in occasions:
        if each.message is RecipientMessage.STOPS_BEFORE:
            if (each.order_id, each.facts["route_id"]) not in near:
                fresh.append(each)
            continue
        if each.message in kinds:
            promise = _promise(orders[each.order_id], each)
            if each.message is RecipientMessage.SCHEDULED and (
                promise is None or is_same_promise(promise, promises.get(each.order_id))
            ):
                continue
            promises[each.order_id] = promise
            each = replace(each, facts={**each.facts, "promise": promise})
        fresh.append(each)
    return fresh


async def _due_corrections(call: Call, occasions: Sequence[Occasion]) -> list[Occasion]:
    """Return corrections of the last messages, one per transport used or still queued.

    A correction becomes the last message itself, so that it is due once.
    """
    rows = await store.list_notified(call.work, {each.order_id for each in occasions}, DELIVERY_NEWS)
    last = {(row.order_id, row.transport): row for row in rows if row.state not in NEVER_SENT}
    return [
        replace(each, facts={**each.facts, "corrects": row.id}, transport=Transport(row.transport))
        for each in occasions
        for row in last.values()
        if row.order_id == each.order_id and RecipientMessage(row.message) in CORRECTS[each.message]
    ]


def _promise(order: RecipientFacts, occasion: Occasion) -> str | None:
    day = occasion.facts.get("day") if order.window_start is None else None
    return day or promise_of(order.scheduled_date, order.window_start, order.window_end)


async def _write_messages(
    call: Call, policy: MessagePolicy, orders: dict[int, RecipientFacts], occasions: Sequence[Occasion]
) -> None:
    customers = {order.customer_id for order in orders.values() if order.customer_id}
    overrides = await store.list_customer_policies(call.work, customers)
    rows: list[dict[str, Any]] = []
    for each in occasions:
        order = orders[each.order_id]
        chosen = policy_for_customer(policy, overrides.get(order.customer_id or 0))
        if each.message is RecipientMessage.STOPS_BEFORE and each.facts["stops"] > chosen.stops_before:
            continue
        transports = (each.transport,) if each.transport else _transports(order, chosen, each.message)
        rows += [_message_row(call, chosen, each, transport) for transport in transports]
    if not rows:
        return
    ids = await RecipientMessageRow.insert_many(call.work, rows)
    queued = sorted(zip(ids, rows, strict=True), key=lambda pair: pair[1]["due_at"])
    for due_at, pairs in groupby(queued, key=lambda pair: pair[1]["due_at"]):
        together = [_queued(id, row) for id, row in pairs]
        for first in range(0, len(together), JOB_SIZE):
            job = SendRecipientMessages(messages=together[first : first + JOB_SIZE])
            await call.enqueue(SEND_JOB, job, run_at=due_at)


def _transports(order: RecipientFacts, policy: MessagePolicy, message: RecipientMessage) -> tuple[Transport, ...]:
    address = order.consignee or {}
    known = {"email": bool(address.get("email")), "phone": sms_number(address) is not None}
    return chosen_transports(policy.channel(message), **known)


def _message_row(call: Call, policy: MessagePolicy, occasion: Occasion, transport: Transport) -> dict[str, Any]:
    return {
        "order_id": occasion.order_id,
        "message": occasion.message.value,
        "transport": transport.value,
        "state": "queued",
        "facts": occasion.facts,
        "due_at": send_time(policy, transport, call.now, call.time_zone),
        "created_at": call.now,
    }


def _queued(message_id: int, row: dict[str, Any]) -> QueuedMessage:
    return QueuedMessage(id=message_id, order_id=row["order_id"], message=row["message"], transport=row["transport"])
