"""Which orders are asked about, and who may take each."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import Any

from msgspec import Struct, json

from haulier.contexts.dispatch.planning.rules.question import Crew, Demand
from haulier.contexts.dispatch.planning.rules.zones import Zones, drives_there
from haulier.contexts.dispatch.pools.rules import ContractorRule, PoolOrder, reaches

NO_LOAD = (0, 0, 0)


class Nobody(StrEnum):
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


class Taking(Struct, frozen=True):
    """The drivers who may take an order; None for all. Where none may, why."""

    drivers: tuple[int, ...] | None = None
    nobody: Nobody | None = None


class Takers(Struct, frozen=True, kw_only=True):
    """Who could take orders: the crews, each driver's zones and account, and each contractor's rules."""

    crews: Sequence[Crew]
    zones: Mapping[int, Zones]
    accounts: Mapping[int, int | None]
    rules: Mapping[int | None, Sequence[ContractorRule]]


def demand(order: Any, load: Any, taking: Taking, *, collected: bool, wish: Any = None) -> Demand:
    """An order as it is asked about. `order` and `load` are what orders tell, `wish` is what this plan wants of it."""
    return Demand(
        order_id=order.id,
        type=order.type,
        stop=_spot(order.lat, order.lng),
        pickup=load.pickup,
        window=tuple(at and int(at.timestamp()) for at in (order.window_start, order.window_end)),  # type: ignore[arg-type]
        service_s=order.service_time_s,
        load=(order.weight_g, load.volume_cm3, load.parcels),
        skills=tuple(sorted(order.skills)),
        drivers=taking.drivers,
        priority=wish.priority if wish else 0,
        prize=wish.skip_cost if wish else None,
        collected=collected,
        nobody=taking.nobody and taking.nobody.value,
        mark=mark(order, load),
    )


def mark(order: Any, load: Any) -> str:
    """Changes with everything about an order that a plan depends on."""
    facts = (
        *(order.type, order.lat, order.lng, order.window_start, order.window_end, order.service_time_s),
        *(order.weight_g, order.skills, order.contractor_id, order.driver_id, order.postal_code),
        *(load.volume_cm3, load.parcels, load.pickup),
    )
    return blake2b(json.encode(facts), digest_size=8).hexdigest()


def may_take(order: Any, pooled: PoolOrder, takers: Takers, wish: Any, *, pinned: bool) -> Taking:
    """The drivers who may take an order. `pinned`: one who was given it already is the only one.

    It must be in the pool of whom they drive for, and in one of their zones. Those on the road take nothing new.
    """
    place = _spot(order.lat, order.lng)
    pools = {owner: reaches(pooled, owner, rules) for owner, rules in takers.rules.items()}
    wanted: Collection[int] = wish.driver_ids if wish else ()
    given: Collection[int | None] = (order.driver_id,) if pinned and order.driver_id else ()
    checks: Sequence[tuple[Nobody, Callable[[Crew], bool]]] = (
        (Nobody.PLANNED, lambda crew: True),
        (Nobody.CONTRACTOR, lambda crew: pools[crew.contractor_id]),
        (Nobody.ON_THE_ROAD, lambda crew: not (crew.route and crew.route.under_way)),
        (Nobody.WISHED, lambda crew: not wanted or crew.driver_id in wanted),
        (Nobody.GIVEN, lambda crew: not given or takers.accounts.get(crew.driver_id) in given),
        (Nobody.ZONE, lambda crew: drives_there(takers.zones.get(crew.driver_id, ()), place, order.postal_code)),
    )
    left: Sequence[Crew] = takers.crews
    for why, passes in checks:
        left = [crew for crew in left if passes(crew)]
        if not left:
            return Taking((), why)
    return Taking(None if len(left) == len(takers.crews) else tuple(crew.driver_id for crew in left))


def in_any_pool(pooled: PoolOrder, rules: Mapping[int | None, Iterable[ContractorRule]]) -> bool:
    """Whether the order is for one of those who plan here."""
    return any(reaches(pooled, owner, theirs) for owner, theirs in rules.items())


def _spot(lat: float | None, lng: float | None) -> tuple[float, float] | None:
    return None if lat is None or lng is None else (lat, lng)
