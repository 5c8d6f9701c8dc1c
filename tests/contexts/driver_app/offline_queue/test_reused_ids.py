"""Reused event ids: a different event is refused, and the first one is unchanged."""

from typing import Any

from tests.contexts.driver_app.makers import device_event, sync_events
from tests.contexts.driver_app.offline_queue.days import KINDS, make_waiting_route, route_state
from tests.support.app import App


async def test_reusing_an_event_id_is_refused_with_the_differing_fields(app: App) -> None:
    route = await make_waiting_route(app, kinds=KINDS)
    app.clock.forward(hours=1)
    accept = device_event("1", "accept", "09:00", route.id)
    assert (await sync_events(app, accept)).applied == 1
    before = await route_state(app, route.id)
    again = await sync_events(app, accept, {**accept, "kind": "decline", "reason": "Ill"})
    repeat, other = again.receipts
    assert (repeat.status, repeat.duplicate, repeat.code) == ("applied", True, None)
    assert (other.status, other.duplicate, other.code) == ("refused", False, "CLIENT_KEY_REUSED")
    assert other.fields == ["kind", "reason"]
    assert (again.refused, again.duplicates) == (1, 1)
    assert await route_state(app, route.id) == before


async def test_two_different_events_with_one_id_in_a_batch_are_told_apart(app: App) -> None:
    route = await make_waiting_route(app, kinds=KINDS)
    app.clock.forward(hours=1)
    accept = device_event("1", "accept", "09:00", route.id)
    other: dict[str, Any] = {**accept, "kind": "start"}
    receipts = (await sync_events(app, accept, other)).receipts
    assert [(each.status, each.code) for each in receipts] == [("applied", None), ("refused", "CLIENT_KEY_REUSED")]
