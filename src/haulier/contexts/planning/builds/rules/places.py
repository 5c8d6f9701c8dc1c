"""What the place of an order means to a plan: when it is open, and the zones that it is in."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from haulier.contexts.places.zone_maps.rules import Closure, ZoneIndex, find_zone_effects, may_drive_to
from haulier.contexts.planning.builds.rules.order_windows import narrow_to_opening
from haulier.contexts.planning.builds.rules.planning_input import TransportRequest, VehicleShift
from haulier.contexts.planning.builds.rules.requests import NoDriverReason

_CLOSURES = {Closure.NO_GO: NoDriverReason.NO_GO, Closure.OUTSIDE: NoDriverReason.SERVICE_AREA}


def keep_to_opening(
    request: TransportRequest, opening: Sequence[tuple[int, int]] | None, *, required: bool
) -> TransportRequest:
    """The request within the opening hours of its place, where they are known.

    A place that is closed all through the order's window leaves it to nobody, unless the order is on a route already and
    so not `required` to be planned: people who put it there knew why.
    """
    window = request.window if opening is None else narrow_to_opening(request.window, opening)
    if window is not None:
        return replace(request, window=window)
    return _for_nobody(request, NoDriverReason.CLOSED) if required else request


def keep_to_zones(
    request: TransportRequest, index: ZoneIndex, vehicle_shifts: Collection[VehicleShift]
) -> TransportRequest:
    """The request for those drivers alone whom the zones at its place let come."""
    if request.stop is None or not index.count or request.drivers == ():
        return request
    effects = find_zone_effects(index, request.stop)
    if effects.closure:
        return _for_nobody(request, _CLOSURES[effects.closure])
    allowed = [shift for shift in vehicle_shifts if request.drivers is None or shift.driver_id in request.drivers]
    allowed = [shift for shift in allowed if may_drive_to(index, effects, shift.driver_id)]
    if not allowed:
        return _for_nobody(request, NoDriverReason.TERRITORY)
    allowed = [shift for shift in allowed if effects.depot_ids is None or shift.depot_id in effects.depot_ids]
    if not allowed:
        return _for_nobody(request, NoDriverReason.CATCHMENT)
    if len(allowed) == len(vehicle_shifts):
        return request
    return replace(request, drivers=tuple(shift.driver_id for shift in allowed))


def _for_nobody(request: TransportRequest, reason: NoDriverReason) -> TransportRequest:
    return replace(request, drivers=(), no_driver_reason=reason.value)
