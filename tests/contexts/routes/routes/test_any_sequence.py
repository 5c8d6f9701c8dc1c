"""Random planning: every order is driven once, and locked stops keep their place."""

import itertools
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from tests.support.app_machines import AppMachine, machine
from tests.support.transport import make_depot, make_order, make_route, some_orders

numbers = st.integers(0, 30)
places = st.none() | st.integers(1, 8)


class ADay(AppMachine):
    """Three routes of a day with a few orders, rearranged at random on a database."""

    def __init__(self) -> None:
        super().__init__()
        self.routes: list[int] = []
        self.locked: dict[int, tuple[int, int]] = {}
        self.orders = self.wait(self.make_day())
        self.shown = self.wait(self.look())

    async def make_day(self) -> set[int]:
        depot_id = await make_depot(self.app)
        orders = [*await some_orders(self.app, 6), await make_order(self.app, type="P2P")]
        for mine in (orders[:3], orders[3:], []):
            self.routes.append(await make_route(self.app, depot_id=depot_id, order_ids=mine))
        return set(orders)

    async def look(self) -> dict[int, list[Any]]:
        asked = [await self.app.answer("admin", "get_route_detail", {"route_id": id}) for id in self.routes]
        return {answer.route.id: answer.route.stops for answer in asked}

    def do(self, operation: str, body: dict[str, Any]) -> Any:
        outcome = self.wait(self.app.call("admin", operation, body))
        assert outcome.status in (200, 409), outcome.error
        self.shown = self.wait(self.look())
        return outcome.answer

    def make_route_of(self, n: int) -> int:
        return self.routes[n % len(self.routes)]

    def some_stops(self, chosen: list[int]) -> list[int]:
        stops = [stop.id for stop in itertools.chain.from_iterable(self.shown.values())]
        return list(dict.fromkeys(stops[n % len(stops)] for n in chosen))

    @rule(to=numbers, chosen=st.lists(numbers, min_size=1, max_size=4), position=places)
    def move(self, to: int, chosen: list[int], position: int | None) -> None:
        stop_ids = self.some_stops(chosen)
        self.do("move_stops", {"route_id": self.make_route_of(to), "stop_ids": stop_ids, "position": position})

    @rule(which=numbers, chosen=st.lists(numbers, min_size=1, max_size=4))
    def split(self, which: int, chosen: list[int]) -> None:
        route_id = self.make_route_of(which)
        mine = [stop.id for stop in self.shown[route_id]]
        stop_ids = [mine[n % len(mine)] for n in chosen] if mine else [1]
        answer = self.do("split_route", {"route_id": route_id, "stop_ids": stop_ids})
        if answer:
            self.routes.append(answer.routes[1].id)
            self.shown = self.wait(self.look())

    @rule(which=numbers, other=numbers)
    def merge(self, which: int, other: int) -> None:
        route_id, merged = self.make_route_of(which), self.make_route_of(other)
        if route_id != merged and self.do("merge_routes", {"route_id": route_id, "route_ids": [merged]}):
            self.routes.remove(merged)
            assert self.wait(self.app.answer("admin", "get_route_detail", {"route_id": merged})).route.stops == []

    @rule(which=numbers, data=st.data())
    def reorder(self, which: int, data: st.DataObject) -> None:
        route_id = self.make_route_of(which)
        if stop_ids := [stop.id for stop in self.shown[route_id]]:
            wanted = data.draw(st.permutations(stop_ids))
            self.do("reorder_stops", {"route_id": route_id, "stop_ids": wanted})

    @rule(which=numbers, n=numbers, free=st.booleans())
    def lock(self, which: int, n: int, free: bool) -> None:
        route_id = self.make_route_of(which)
        if stops := self.shown[route_id]:
            stop_id = stops[n % len(stops)].id
            self.do("unlock_stops" if free else "lock_stops", {"route_id": route_id, "stop_ids": [stop_id]})
            self.locked.pop(stop_id, None)

    @invariant()
    def every_order_is_driven_once(self) -> None:
        visits = [(stop.order_id, stop.kind) for stops in self.shown.values() for stop in stops]
        assert len(visits) == len(set(visits)) == len(self.orders) + 1
        assert {order_id for order_id, _ in visits} == self.orders

    @invariant()
    def check_pickups_precede_deliveries(self) -> None:
        for stops in self.shown.values():
            kinds = {order_id: [stop.kind for stop in stops if stop.order_id == order_id] for order_id in self.orders}
            assert all(found in ([], ["delivery"], ["pickup", "delivery"]) for found in kinds.values())

    @invariant()
    def stops_are_numbered_without_a_gap(self) -> None:
        for stops in self.shown.values():
            assert [stop.position for stop in stops] == list(range(1, len(stops) + 1))

    @invariant()
    def what_is_locked_stays_on_its_route_and_is_never_put_back(self) -> None:
        now = {stop.id: (id, stop.position) for id, stops in self.shown.items() for stop in stops if stop.locked}
        for stop_id, (route_id, position) in self.locked.items():
            assert now[stop_id][0] == route_id
            assert now[stop_id][1] <= position
        self.locked = now


TestADay = machine(ADay, 20)
