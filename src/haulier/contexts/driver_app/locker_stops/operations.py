"""A driver leaves a parcel in a locker."""

from haulier.contexts.driver_app.driver_account.queries import NO_DRIVER_RECORD, get_calling_driver
from haulier.contexts.driver_app.locker_stops.contract import RiderLockerStop, RiderMakeLockerCode, RiderOpenLocker
from haulier.contexts.driver_app.policy.operations import DRIVERS_ONLY, RIDER_ROUTE_PATH
from haulier.contexts.lockers.deliveries.contract import DriversDepositCode, DriversLockerDoor
from haulier.contexts.lockers.public import (
    DeviceCommandRow,
    IfFull,
    LockerDeliveryRow,
    LockerDeliveryStatus,
    command_record,
    delivery_record,
    find_last_door,
    make_deposit_code,
    open_box_of_order,
)
from haulier.contexts.routes.public import (
    STOP_CANNOT,
    STOP_HANDED_OVER,
    correct_device_time,
    get_visible_route,
    list_stops_of_routes,
    lock_stop_visit,
    record_failed_stop,
)
from haulier.contexts.routes.routes.contract import FailStop, ReportStopEvent
from haulier.contexts.routes.routes.rules.progress import ROUTE_CANNOT, RouteStatus
from haulier.contexts.routes.stops.rules import OPEN, FailedStopOutcome, StopKind
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

CAPACITY, OPEN_BOX = "capacity", "open_locker"


@writes(
    "rider_open_locker",
    available_when={"allowed_actions": "visit_stops"},
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, ROUTE_CANNOT, STOP_CANNOT, STOP_HANDED_OVER),
    interfaces=(Rest("POST", f"{RIDER_ROUTE_PATH}/stops/{{stop_id}}/locker"), GraphQL("riderOpenLocker")),
)
async def rider_open_locker(call: Call, request: RiderOpenLocker) -> DriversLockerDoor:
    """Open the locker compartment of a stop.

    The driver puts the parcel in. Call again until the status is `deposited`, then complete the stop.

    If the compartment door is stuck, the next call opens another. If no compartment is free, the order goes to another
    site, to the address of the recipient or back, as configured: `status` is then `fallen_back`, or `planned` at
    another site.
    """
    request = await correct_device_time(call, request)
    order_id = await _lock_open_delivery(call, request)
    row, command = await open_box_of_order(call, order_id, give_up=request.give_up)
    if row.status == LockerDeliveryStatus.FALLEN_BACK and row.if_full == IfFull.RETURN:
        what = request.model_dump(include={"route_id", "stop_id", "occurred_at"})
        failed = FailStop(
            **what, position=request.position, reason=CAPACITY, outcome=FailedStopOutcome.RETURN, note=row.site_name
        )
        await record_failed_stop(call, failed)
    call.add_audit_subjects("order", row.order_id)
    return _door_answer(call, row, command)


@reads(
    "get_rider_locker_stop",
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND, NO_DRIVER_RECORD),
    interfaces=(Rest("GET", f"{RIDER_ROUTE_PATH}/stops/{{stop_id}}/locker"), GraphQL("riderLockerStop")),
)
async def get_rider_locker_stop(call: Call, request: RiderLockerStop) -> DriversLockerDoor:
    """Get the locker delivery of a stop.

    Returns its progress and the last compartment opened for it. Opens nothing.
    """
    await get_calling_driver(call)
    route = await get_visible_route(call, request.route_id)
    stops = await list_stops_of_routes(call, [route.id])
    order_id = next((stop.order_id for stop in stops if stop.id == request.stop_id), None)
    if order_id is None:
        raise record_not_found(stop_id=request.stop_id)
    row, command = await find_last_door(call, order_id)
    return _door_answer(call, row, command)


@writes(
    "rider_make_locker_code",
    available_when={"allowed_actions": "visit_stops"},
    replayable=False,
    audience=DRIVERS_ONLY,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, NO_DRIVER_RECORD, ROUTE_CANNOT, STOP_CANNOT, STOP_HANDED_OVER),
    interfaces=(Rest("POST", f"{RIDER_ROUTE_PATH}/stops/{{stop_id}}/locker-code"), GraphQL("riderMakeLockerCode")),
)
async def rider_make_locker_code(call: Call, request: RiderMakeLockerCode) -> DriversDepositCode:
    """Create a deposit code for a locker stop.

    The code opens the compartment once at the locker and needs no network there. Create it when the route starts:
    lockers fetch their codes every five minutes. A new code replaces the previous one.
    """
    order_id = await _lock_open_delivery(call, await correct_device_time(call, request))
    row, made = await make_deposit_code(call, order_id)
    call.add_audit_subjects("order", row.order_id)
    return DriversDepositCode(
        delivery=delivery_record(call, row),
        code=made.code if made else None,
        made_at=call.local_time(made.made_at) if made else None,
        expires_at=call.local_time(made.expires_at) if made else None,
    )


async def _lock_open_delivery(call: Call, request: ReportStopEvent) -> int:
    """Return the order of an open delivery at a stop of the calling driver.

    Raises the error that prevents it.
    """
    await get_calling_driver(call)
    visit = await lock_stop_visit(call, request)
    if visit.route.status != RouteStatus.STARTED:
        raise ROUTE_CANNOT(act=OPEN_BOX, status=visit.route.status)
    if visit.status not in OPEN or visit.stop.kind != StopKind.DELIVERY:
        raise STOP_CANNOT(act=OPEN_BOX, status=visit.status.value)
    return visit.stop.order_id


def _door_answer(call: Call, row: LockerDeliveryRow, command: DeviceCommandRow | None) -> DriversLockerDoor:
    return DriversLockerDoor(
        delivery=delivery_record(call, row), command=command_record(call, command) if command else None
    )
