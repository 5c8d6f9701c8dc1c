"""Every kind of event that a device tells, and what is done about it: the same functions that the app calls at once."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import ValidationError

from haulier.contexts.dispatch.riders.acting import accept, decline, fail_at_door, hand_over_at_door
from haulier.contexts.dispatch.riders.contract.doorstep import AnswerRoute, FailAtDoor, HandOverAtDoor, ScanCode
from haulier.contexts.dispatch.riders.rules.queue import DeviceEventKind, Queued
from haulier.contexts.dispatch.riders.scanning import scan
from haulier.contexts.dispatch.routes.contract import AtStop, OnTheRoad
from haulier.contexts.dispatch.routes.operations.driving import finish_route, return_route_to_depot, start_route
from haulier.contexts.dispatch.routes.visits import reach
from haulier.contexts.dispatch.stops.rules import StopAct
from haulier.kernel.call import Call
from haulier.kernel.errors import INVALID_REQUEST, Fault
from haulier.kernel.operation import Request

Do = Callable[[Call, Any, Any], Awaitable[Any]]


async def _start(call: Call, driver: Any, request: OnTheRoad) -> None:
    await start_route(call, request)


async def _arrive(call: Call, driver: Any, request: AtStop) -> None:
    await reach(call, request)


async def _scan(call: Call, driver: Any, request: ScanCode) -> None:
    await scan(call, driver.id, request)


async def _pick_up(call: Call, driver: Any, request: HandOverAtDoor) -> None:
    await hand_over_at_door(call, driver, request, StopAct.PICK_UP)


async def _deliver(call: Call, driver: Any, request: HandOverAtDoor) -> None:
    await hand_over_at_door(call, driver, request, StopAct.DELIVER)


async def _return(call: Call, driver: Any, request: OnTheRoad) -> None:
    await return_route_to_depot(call, request)


async def _finish(call: Call, driver: Any, request: OnTheRoad) -> None:
    await finish_route(call, request)


DEEDS: Mapping[DeviceEventKind, tuple[type[Request], Do]] = {
    DeviceEventKind.ACCEPT: (AnswerRoute, accept),
    DeviceEventKind.DECLINE: (AnswerRoute, decline),
    DeviceEventKind.START: (OnTheRoad, _start),
    DeviceEventKind.ARRIVE: (AtStop, _arrive),
    DeviceEventKind.SCAN: (ScanCode, _scan),
    DeviceEventKind.PICK_UP: (HandOverAtDoor, _pick_up),
    DeviceEventKind.DELIVER: (HandOverAtDoor, _deliver),
    DeviceEventKind.FAIL: (FailAtDoor, fail_at_door),
    DeviceEventKind.RETURN_TO_DEPOT: (OnTheRoad, _return),
    DeviceEventKind.FINISH: (OnTheRoad, _finish),
}


async def perform(call: Call, driver: Any, event: Queued) -> None:
    """Do what an event tells of. Raises `INVALID_REQUEST` where its kind needs more, and whatever the deed raises."""
    asked, do = DEEDS[event.kind]
    known = {name: event.body[name] for name in asked.model_fields if event.body.get(name) is not None}
    try:
        request = asked.model_validate({**known, "occurred_at": event.occurred_at})
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        faults = [
            Fault(".".join(map(str, each["loc"])), f"field.{each['type']}", each.get("ctx", {})) for each in details
        ]
        raise INVALID_REQUEST.at(*faults) from None
    await do(call, driver, request)
