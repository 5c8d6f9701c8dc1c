"""Every kind of event that a device tells, and what is done about it: the same functions that the app calls at once."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import ValidationError

from haulier.contexts.driver_app.day.actions import accept_given_route, give_back_route
from haulier.contexts.driver_app.day.contract import AnswerRoute
from haulier.contexts.driver_app.offline_queue.rules import DeviceEventType, QueuedDeviceEvent
from haulier.contexts.driver_app.proof.actions.stop_actions import complete_stop_with_proof, fail_stop_with_proof
from haulier.contexts.driver_app.proof.contract import CompleteRiderStop, FailRiderStop
from haulier.contexts.driver_app.scans.actions import record_scan
from haulier.contexts.driver_app.scans.contract import ScanCode
from haulier.contexts.routes.routes.actions.stop_visits import record_arrival
from haulier.contexts.routes.routes.contract.routes import ReportRouteEvent, ReportStopEvent
from haulier.contexts.routes.routes.operations.execution import finish_route, return_route_to_depot, start_route
from haulier.contexts.routes.stops.rules import StopAction
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

DeviceEventHandler = Callable[[Call, Any, Any], Awaitable[Any]]


async def _start_route(call: Call, driver: Any, request: ReportRouteEvent) -> None:
    await start_route(call, request)


async def _record_arrival(call: Call, driver: Any, request: ReportStopEvent) -> None:
    await record_arrival(call, request)


async def _record_scan(call: Call, driver: Any, request: ScanCode) -> None:
    await record_scan(call, driver.id, request)


async def _complete_pickup(call: Call, driver: Any, request: CompleteRiderStop) -> None:
    await complete_stop_with_proof(call, driver, request, StopAction.PICK_UP)


async def _complete_delivery(call: Call, driver: Any, request: CompleteRiderStop) -> None:
    await complete_stop_with_proof(call, driver, request, StopAction.DELIVER)


async def _return_to_depot(call: Call, driver: Any, request: ReportRouteEvent) -> None:
    await return_route_to_depot(call, request)


async def _finish_route(call: Call, driver: Any, request: ReportRouteEvent) -> None:
    await finish_route(call, request)


DEVICE_EVENT_HANDLERS: Mapping[DeviceEventType, tuple[type[Request], DeviceEventHandler]] = {
    DeviceEventType.ACCEPT: (AnswerRoute, accept_given_route),
    DeviceEventType.DECLINE: (AnswerRoute, give_back_route),
    DeviceEventType.START: (ReportRouteEvent, _start_route),
    DeviceEventType.ARRIVE: (ReportStopEvent, _record_arrival),
    DeviceEventType.SCAN: (ScanCode, _record_scan),
    DeviceEventType.PICK_UP: (CompleteRiderStop, _complete_pickup),
    DeviceEventType.DELIVER: (CompleteRiderStop, _complete_delivery),
    DeviceEventType.FAIL: (FailRiderStop, fail_stop_with_proof),
    DeviceEventType.RETURN_TO_DEPOT: (ReportRouteEvent, _return_to_depot),
    DeviceEventType.FINISH: (ReportRouteEvent, _finish_route),
}


async def apply_device_event(call: Call, driver: Any, event: QueuedDeviceEvent) -> None:
    """Do what an event tells of. Raises `INVALID_REQUEST` where its kind needs more, and whatever the deed raises."""
    asked, do = DEVICE_EVENT_HANDLERS[event.kind]
    known = {name: event.body[name] for name in asked.model_fields if event.body.get(name) is not None}
    try:
        request = asked.model_validate({**known, "occurred_at": event.occurred_at})
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        faults = [
            FieldError(".".join(map(str, each["loc"])), f"field.{each['type']}", each.get("ctx", {}))
            for each in details
        ]
        raise INVALID_REQUEST.for_fields(*faults) from None
    await do(call, driver, request)
