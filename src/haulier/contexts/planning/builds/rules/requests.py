"""Orders as requests of a plan, and who may take each."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec import Struct, json

from haulier.contexts.planning.builds.rules.driver_zones import DriverZones, is_in_driver_zones
from haulier.contexts.planning.builds.rules.planning_input import TransportRequest, VehicleShift
from haulier.contexts.routes.pools.rules import ContractorRule, PoolOrder, belongs_to_pool

if TYPE_CHECKING:  # Why: rules do no I/O, and the `public` module of orders imports stores.
    from haulier.contexts.orders.public import OrderFacts, OrderLoad
    from haulier.contexts.planning.builds.contract.requests import OrderPreference

NO_LOAD = (0, 0, 0)


class NoDriverReason(StrEnum):
    """Why no driver of a plan may take an order: the first of these that leaves none."""

    PLANNED = "planned"
    """No driver can be planned at all."""
    CONTRACTOR = "contractor"
    """It is in the pool of none of those they drive for."""
    ON_THE_ROAD = "on_the_road"
    """They are on the road, and take nothing new."""
    WISHED = "wished"
    """The plan names other drivers for it."""
    GIVEN = "given"
    """It was given to another driver already."""
    ZONE = "zone"
    """It is outside their zones."""
    NO_GO = "no_go"
    """It is in a zone that nobody goes to."""
    SERVICE_AREA = "service_area"
    """It is outside every service area."""
    TERRITORY = "territory"
    """It is in the territory of others, or outside theirs."""
    CATCHMENT = "catchment"
    """It comes from other depots than theirs."""
    CLOSED = "closed"
    """The place is closed on the day, or all through the order's window."""


class EligibleDrivers(Struct, frozen=True):
    """The drivers who may take an order; None for all. Where none may, why."""

    drivers: tuple[int, ...] | None = None
    no_driver_reason: NoDriverReason | None = None


class PlannableDrivers(Struct, frozen=True, kw_only=True):
    """Who could take orders: vehicle shifts, each driver's zones and account, and each contractor's rules."""

    vehicle_shifts: Sequence[VehicleShift]
    zones: Mapping[int, DriverZones]
    accounts: Mapping[int, int | None]
    rules: Mapping[int | None, Sequence[ContractorRule]]


def build_transport_request(
    order: "OrderFacts",
    load: "OrderLoad",
    eligible: EligibleDrivers,
    *,
    collected: bool,
    preference: "OrderPreference | None" = None,
) -> TransportRequest:
    """An order as a request of the plan. `preference` is what this plan wants of it."""
    return TransportRequest(
        order_id=order.id,
        type=order.type,
        stop=_coordinates(order.lat, order.lng),
        pickup=load.pickup,
        window=tuple(moment and int(moment.timestamp()) for moment in (order.window_start, order.window_end)),  # type: ignore[arg-type]
        service_s=order.service_time_s,
        load=(order.weight_g, load.volume_cm3, load.parcels),
        parcels=load.boxes,
        skills=tuple(sorted(order.skills)),
        drivers=eligible.drivers,
        priority=preference.priority if preference else 0,
        prize=preference.skip_cost if preference else None,
        collected=collected,
        no_driver_reason=eligible.no_driver_reason and eligible.no_driver_reason.value,
        request_fingerprint=request_fingerprint(order, load),
    )


def request_fingerprint(order: "OrderFacts", load: "OrderLoad") -> str:
    """A hash of everything about an order that a plan depends on."""
    facts = (
        *(order.type, order.lat, order.lng, order.window_start, order.window_end, order.service_time_s),
        *(order.weight_g, order.skills, order.contractor_id, order.driver_id, order.postal_code),
        *(load.volume_cm3, load.parcels, load.pickup, load.boxes),
    )
    return blake2b(json.encode(facts), digest_size=8).hexdigest()


def find_eligible_drivers(
    order: "OrderFacts",
    pooled: PoolOrder,
    plannable: PlannableDrivers,
    preference: "OrderPreference | None",
    *,
    pinned: bool,
) -> EligibleDrivers:
    """The drivers who may take an order. With `pinned`, only the driver it was assigned to, if there is one.

    The order must be in the pool of their contractor and in one of their zones. Drivers on the road take nothing new.
    """
    place = _coordinates(order.lat, order.lng)
    pools = {owner: belongs_to_pool(pooled, owner, rules) for owner, rules in plannable.rules.items()}
    preferred: Collection[int] = preference.driver_ids if preference else ()
    current: Collection[int | None] = (order.driver_id,) if pinned and order.driver_id else ()
    checks: Sequence[tuple[NoDriverReason, Callable[[VehicleShift], bool]]] = (
        (NoDriverReason.PLANNED, lambda vehicle_shift: True),
        (NoDriverReason.CONTRACTOR, lambda vehicle_shift: pools[vehicle_shift.contractor_id]),
        (NoDriverReason.ON_THE_ROAD, lambda vehicle_shift: not (vehicle_shift.route and vehicle_shift.route.under_way)),
        (NoDriverReason.WISHED, lambda vehicle_shift: not preferred or vehicle_shift.driver_id in preferred),
        (
            NoDriverReason.GIVEN,
            lambda vehicle_shift: not current or plannable.accounts.get(vehicle_shift.driver_id) in current,
        ),
        (
            NoDriverReason.ZONE,
            lambda vehicle_shift: is_in_driver_zones(
                plannable.zones.get(vehicle_shift.driver_id, ()), place, order.postal_code
            ),
        ),
    )
    eligible: Sequence[VehicleShift] = plannable.vehicle_shifts
    for reason, passes in checks:
        eligible = [vehicle_shift for vehicle_shift in eligible if passes(vehicle_shift)]
        if not eligible:
            return EligibleDrivers((), reason)
    return EligibleDrivers(
        None
        if len(eligible) == len(plannable.vehicle_shifts)
        else tuple(vehicle_shift.driver_id for vehicle_shift in eligible)
    )


def is_in_any_pool(pooled: PoolOrder, rules: Mapping[int | None, Iterable[ContractorRule]]) -> bool:
    """Whether the order is in the pool of one of these owners."""
    return any(belongs_to_pool(pooled, owner, of_owner) for owner, of_owner in rules.items())


def _coordinates(lat: float | None, lng: float | None) -> tuple[float, float] | None:
    return None if lat is None or lng is None else (lat, lng)
