"""Subscribed resources: clients are notified of changes that they may read."""

import asyncio
from typing import Any

from mcp.shared.subscriptions import ResourceUpdated
from tests.agents.agent_world import AgentWorld

PATIENCE_S = 60


async def next_of(stream: Any) -> Any:
    return await asyncio.wait_for(anext(aiter(stream)), PATIENCE_S)


async def test_a_client_is_notified_of_steps_of_its_order_and_timeline(world: AgentWorld) -> None:
    order, other = await world.order(order_ref="A-1"), await world.order(order_ref="A-2")
    uris = [f"haulier://orders/{order.id}", f"haulier://timelines/{order.tracking_number}"]
    beside = ["haulier://guides/otep", "haulier://orders/999999", "other://x"]
    async with world.client() as client, client.listen(resource_subscriptions=[*uris, *beside]) as stream:
        assert stream.honored.resource_subscriptions == uris
        await world.app.answer("admin", "hold_orders", {"order_ids": [other.id]}, confirmed=True)
        await world.app.answer("admin", "hold_orders", {"order_ids": [order.id]}, confirmed=True)
        await world.app.work_off()
        waited = {ResourceUpdated(uri=uri) for uri in uris}
        while waited:
            told = await next_of(stream)
            assert told.uri in uris
            waited.discard(told)


async def test_resources_of_another_business_cannot_be_followed(world: AgentWorld) -> None:
    order = await world.order()
    uris = [f"haulier://orders/{order.id}"]
    async with world.client("rival") as rival, rival.listen(resource_subscriptions=uris) as stream:
        assert not stream.honored.resource_subscriptions


async def test_a_client_with_a_revoked_token_is_no_longer_notified(world: AgentWorld) -> None:
    order = await world.order()
    uris = [f"haulier://orders/{order.id}"]
    async with world.client("employee") as client, client.listen(resource_subscriptions=uris) as stream:
        await world.app.answer("employee", "logout")
        await world.app.answer("admin", "hold_orders", {"order_ids": [order.id]}, confirmed=True)
        await world.app.work_off()
        assert [event async for event in stream] == []


async def test_the_servers_declared_capabilities_are_correct(world: AgentWorld) -> None:
    async with world.client() as client, world.client(mode="legacy") as older:
        told, before = client.server_capabilities, older.server_capabilities
    assert told
    assert before
    assert told.resources
    assert (told.resources.subscribe, told.resources.list_changed) == (True, False)
    assert "io.modelcontextprotocol/tasks" in (told.extensions or {})
    assert before.resources
    assert (before.resources.subscribe, before.extensions) == (False, None)
