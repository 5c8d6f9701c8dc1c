"""What each type of device event does: the same actions that the app's own operations call."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct
from pydantic import ValidationError

from haulier.contexts.driver_app.day.actions import accept_given_route, give_back_route
from haulier.contexts.driver_app.day.contract import AnswerRoute
from haulier.contexts.driver_app.offline_queue.rules import DeviceEventType, QueuedDeviceEvent
from haulier.contexts.driver_app.proof.actions.stop_actions import (
    complete_stop_with_proof,
    fail_stop_with_proof,
    keep_proof_of_refused_delivery,
)
from haulier.contexts.driver_app.proof.contract import CompleteRiderStop, FailRiderStop
from haulier.contexts.driver_app.scans.actions import record_scan
from haulier.contexts.driver_app.scans.contract import ScanCode
from haulier.contexts.fleet.public import DriverRow
from haulier.contexts.routes.public import (
    finish_route,
    record_arrival,
    reopen_failed_stop,
    return_route_to_depot,
    start_route,
)
from haulier.contexts.routes.routes.contract.routes import ReopenStop, ReportRouteEvent, ReportStopEvent, StartRoute
from haulier.contexts.routes.stops.rules import StopAction
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

R = TypeVar("R", bound=Request)


class DeviceEventAction(Struct, frozen=True):
    """The request that an event of one type is read as, and the action that it is given to."""

    request: type[Request]
    action: Callable[..., Awaitable[Any]]
    takes_driver: bool = True
    """Whether the action takes the driver between the call and the request; those of routes find them by the call."""


DEVICE_EVENT_ACTIONS: Mapping[DeviceEventType, DeviceEventAction] = {
    DeviceEventType.ACCEPT: DeviceEventAction(AnswerRoute, accept_given_route),
    DeviceEventType.DECLINE: DeviceEventAction(AnswerRoute, give_back_route),
    DeviceEventType.START: DeviceEventAction(StartRoute, partial(start_route, happened=True), takes_driver=False),
    DeviceEventType.ARRIVE: DeviceEventAction(ReportStopEvent, record_arrival, takes_driver=False),
    DeviceEventType.SCAN: DeviceEventAction(ScanCode, record_scan),
    DeviceEventType.PICK_UP: DeviceEventAction(
        CompleteRiderStop, partial(complete_stop_with_proof, action=StopAction.PICK_UP)
    ),
    DeviceEventType.DELIVER: DeviceEventAction(
        CompleteRiderStop, partial(complete_stop_with_proof, action=StopAction.DELIVER)
    ),
    DeviceEventType.FAIL: DeviceEventAction(FailRiderStop, fail_stop_with_proof),
    DeviceEventType.REOPEN: DeviceEventAction(ReopenStop, reopen_failed_stop, takes_driver=False),
    DeviceEventType.RETURN_TO_DEPOT: DeviceEventAction(ReportRouteEvent, return_route_to_depot, takes_driver=False),
    DeviceEventType.FINISH: DeviceEventAction(ReportRouteEvent, finish_route, takes_driver=False),
}


async def apply_device_event(call: Call, driver: DriverRow, event: QueuedDeviceEvent) -> None:
    """Do what an event reports. Raises `INVALID_REQUEST` where its type needs more fields, and what the action raises."""
    entry = DEVICE_EVENT_ACTIONS[event.kind]
    request = read_device_event(event, entry.request)
    if entry.takes_driver:
        await entry.action(call, driver, request)
    else:
        await entry.action(call, request)


async def keep_refused_event(call: Call, driver: DriverRow, event: QueuedDeviceEvent) -> None:
    """Keep what proves a delivery that was refused; events of other types leave nothing behind."""
    if event.kind is DeviceEventType.DELIVER:
        await keep_proof_of_refused_delivery(call, driver, read_device_event(event, CompleteRiderStop))


def read_device_event(event: QueuedDeviceEvent, request_type: type[R]) -> R:
    """The event as the request of its action; fields that the request does not have are left out.

    Raises `INVALID_REQUEST` where a field is missing.
    """
    fields = {name: event.body[name] for name in request_type.model_fields if event.body.get(name) is not None}
    try:
        return request_type.model_validate({**fields, "occurred_at": event.occurred_at})
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        field_errors = [
            FieldError(".".join(map(str, detail["loc"])), f"field.{detail['type']}", detail.get("ctx", {}))
            for detail in details
        ]
        raise INVALID_REQUEST.for_fields(*field_errors) from None
