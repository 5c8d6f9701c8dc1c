"""Which orders are asked about, and who may take each."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from msgspec import Struct, json

from haulier.contexts.dispatch.planning.rules.question import Crew, Demand
from haulier.contexts.dispatch.planning.rules.zones import Zones, drives_there
from haulier.contexts.dispatch.pools.rules import ContractorRule, PoolOrder, reaches

NO_LOAD = (0, 0, 0)


class Takers(Struct, frozen=True, kw_only=True):
    """Who could take orders: the crews, each driver's zones and account, and each contractor's rules."""

    crews: Sequence[Crew]
    zones: Mapping[int, Zones]
    accounts: Mapping[int, int | None]
    rules: Mapping[int | None, Sequence[ContractorRule]]


def demand(order: Any, load: Any, takers: Sequence[int] | None, *, collected: bool, wish: Any = None) -> Demand:
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
        drivers=None if takers is None else tuple(takers),
        priority=wish.priority if wish else 0,
        prize=wish.skip_cost if wish else None,
        collected=collected,
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


def may_take(order: Any, pooled: PoolOrder, takers: Takers, wish: Any, *, pinned: bool) -> tuple[int, ...] | None:
    """The drivers who may take an order; None for all. `pinned`: one who was given it already is the only one.

    It must be in the pool of whom they drive for, and in one of their zones. Those on the road take nothing new.
    """
    place = _spot(order.lat, order.lng)
    pools = {owner: reaches(pooled, owner, rules) for owner, rules in takers.rules.items()}
    wanted: Collection[int] = wish.driver_ids if wish else ()
    found = tuple(
        crew.driver_id
        for crew in takers.crews
        if pools[crew.contractor_id]
        and not (crew.route and crew.route.under_way)
        and not (wanted and crew.driver_id not in wanted)
        and not (pinned and order.driver_id and takers.accounts.get(crew.driver_id) != order.driver_id)
        and drives_there(takers.zones.get(crew.driver_id, ()), place, order.postal_code)
    )
    return None if len(found) == len(takers.crews) else found


def in_any_pool(pooled: PoolOrder, rules: Mapping[int | None, Iterable[ContractorRule]]) -> bool:
    """Whether the order is for one of those who plan here."""
    return any(reaches(pooled, owner, theirs) for owner, theirs in rules.items())


def _spot(lat: float | None, lng: float | None) -> tuple[float, float] | None:
    return None if lat is None or lng is None else (lat, lng)
