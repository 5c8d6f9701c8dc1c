"""What a driver does on a route, by whichever way we hear of it: at once, or later out of the offline queue."""

from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.events import RouteAssigned
from haulier.contexts.dispatch.notices import give_notice
from haulier.contexts.dispatch.riders.contract.doorstep import AnswerRoute, FailAtDoor, HandOverAtDoor
from haulier.contexts.dispatch.riders.rules.policy import Shown, why_not_delivered, why_not_failed
from haulier.contexts.dispatch.riders.store import answers
from haulier.contexts.dispatch.riders.store.policy import policy
from haulier.contexts.dispatch.riders.uploading import addresses
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.contract import AtStop, FailStop, HandOver, StopAnswer
from haulier.contexts.dispatch.routes.finding import visible_route
from haulier.contexts.dispatch.routes.ports import Line
from haulier.contexts.dispatch.routes.rules.geofence import metres_away, place_of_stop
from haulier.contexts.dispatch.routes.rules.machine import ROUTE_CANNOT, RouteAct, RouteStatus, must
from haulier.contexts.dispatch.routes.rules.occurrence import occurred
from haulier.contexts.dispatch.routes.visits import give_up, hand_over, visit
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.dispatch.stops.rules import OPEN, Outcome, StopAct, StopKind
from haulier.contexts.orders.public import Step, facts, give_to_driver, return_reason, take
from haulier.contexts.tracking.public import INCIDENT_REASONS
from haulier.kernel.call import Call
from haulier.kernel.errors import problem

NO_DRIVER_RECORD = problem("no_driver_record", 403)
HOLD, OTHER = "hold", "other"


class AtTheDoor(Struct, frozen=True):
    """A stop that is still open, and how far from it the driver is."""

    open: bool
    away_m: int | None


async def myself(call: Call) -> Any:
    """The driver who calls. Raises `NO_DRIVER_RECORD` for an account that no driver is linked to."""
    row = await driver_store.by_user(call.work, call.actor or 0)
    if row is None:
        raise NO_DRIVER_RECORD()
    return row


async def accept(call: Call, driver: Any, request: AnswerRoute) -> None:
    """Note that the driver will drive the route. Said again, or after the start, it is noted all the same."""
    route = await visible_route(call, request.route_id, lock=True)
    if route.status == RouteStatus.CANCELLED:
        raise ROUTE_CANNOT(act="accept", status=route.status)
    said = await answers.one(call.work, route.id, driver.id)
    at = occurred(request.occurred_at, call.now)
    if said is None or said.answer != answers.ACCEPTED:
        await answers.say(call.work, route.id, driver.id, answers.ACCEPTED, at=at, now=call.now)
    call.concerns("route", route.id)


async def decline(call: Call, driver: Any, request: AnswerRoute) -> None:
    """Give a route back that has not started: it is a draft again, or the next driver's in line for it.

    One from the driver route board only until its deadline. That is by our clock, and not by what a device says of the time.
    """
    route = await visible_route(call, request.route_id, lock=True)
    reached = must(RouteAct.UNASSIGN_DRIVER, RouteStatus(route.status))
    if refusal := await call.adapter(Line).why_not_give_back(call, route.id, driver.id):
        raise refusal
    at = occurred(request.occurred_at, call.now)
    await answers.say(call.work, route.id, driver.id, answers.DECLINED, at=at, now=call.now, reason=request.reason)
    await route_store.change(call.work, route.id, driver_id=None, status=reached)
    stops = await stop_store.of_routes(call.work, [route.id])
    await give_to_driver(call, sorted({stop.order_id for stop in stops}), None)
    await call.adapter(Line).freed(call, route, by_driver=True)
    call.concerns("route", route.id)
    give_notice(call, route.day)
    await call.announce(RouteAssigned(route_id=route.id, driver_id=None))


async def hand_over_at_door(call: Call, driver: Any, request: HandOverAtDoor, act: StopAct) -> StopAnswer:
    """Complete a stop with what proves it. What the client asks of a delivery is asked once, while the stop is open."""
    door = await _door(call, request)
    if door.open and act is StopAct.DELIVER:
        shown = _shown(request, door, recipient=request.recipient, signature=request.signature)
        if refusal := why_not_delivered(await policy(call.work), shown):
            raise refusal
    names = [*request.photos, *([request.signature] if request.signature else [])]
    found = await addresses(call, driver, names) if door.open else {}
    plain = request.model_dump(exclude={"signature", "photos", "position"})
    told = HandOver(
        **plain,
        position=request.position,
        signature_url=found.get(request.signature or ""),
        photo_urls=[found[name] for name in request.photos if name in found],
    )
    return await hand_over(call, told, act)


async def fail_at_door(call: Call, driver: Any, request: FailAtDoor) -> StopAnswer:
    """Give a stop up for a reason of the client's list, or for one that tracking knows.

    A device that tells of it later may name one that was taken off the list meanwhile: to tracking, that is another reason.
    """
    door = await _door(call, request)
    reason = await return_reason(call, request.reason)
    gone = reason is None and request.occurred_at is not None and request.reason not in INCIDENT_REASONS
    if door.open and reason:
        shown = _shown(request, door)
        if refusal := why_not_failed(shown, asks_photo=reason.asks_photo, asks_note=reason.asks_note):
            raise refusal
    next_step = reason.next_step if reason else Outcome.RETRY.value
    outcome = request.outcome or (Outcome.RETURN if next_step == Outcome.RETURN else Outcome.RETRY)
    found = await addresses(call, driver, request.photos) if door.open else {}
    told = FailStop(
        **request.model_dump(include={"route_id", "stop_id", "occurred_at", "note"}),
        position=request.position,
        reason=reason.otep_reason if reason else OTHER if gone else request.reason,
        outcome=outcome,
        return_reason=request.reason if reason or gone else None,
        photo_urls=[found[name] for name in request.photos if name in found],
    )
    answer = await give_up(call, told)
    if door.open and request.outcome is None and next_step == HOLD:
        at = occurred(request.occurred_at, call.now)
        await take(call, Step.HOLD, [answer.stop.order_id], at=at, note=request.reason)
    return answer


async def _door(call: Call, request: AtStop) -> AtTheDoor:
    seen = await visit(call, request)
    if seen.status not in OPEN or request.position is None:
        return AtTheDoor(seen.status in OPEN, None)
    order = (await facts(call, [seen.stop.order_id])).get(seen.stop.order_id)
    place = place_of_stop(StopKind(seen.stop.kind), order)
    return AtTheDoor(True, metres_away(place, (request.position.lat, request.position.lng)))


def _shown(request: HandOverAtDoor | FailAtDoor, door: AtTheDoor, **words: str | None) -> Shown:
    return Shown(
        photos=request.photos,
        note=request.note,
        position_known=request.position is not None,
        away_m=door.away_m,
        **words,
    )
