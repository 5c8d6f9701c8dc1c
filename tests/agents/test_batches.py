"""Tasks with many orders at once."""

from tests.agents.agent_world import QUEEN_ST, AgentWorld

GOOD = [{"consignee": QUEEN_ST, "order_ref": f"B-{number}"} for number in range(3)]
FOR_NOBODY = {"consignee": QUEEN_ST, "order_ref": "B-9", "customer_id": 999_999}


async def test_create_many_orders_and_report_failures(world: AgentWorld) -> None:
    async with world.agent() as agent:
        done = await agent.does("bulk_create_orders", orders=[*GOOD, FOR_NOBODY], confirm=True)
    failed = [outcome for outcome in done["outcomes"] if outcome["state"] == "refused"]
    assert (done["created"], done["failed"]) == (3, 1)
    (outcome,) = failed
    assert (outcome["index"], outcome["code"]) == (3, "INVALID_REQUEST")
    assert [(fault["field"], fault["code"]) for fault in outcome["errors"]] == [("customer_id", "CUSTOMER_UNKNOWN")]


async def test_fix_failed_orders_and_send_the_batch_again(world: AgentWorld) -> None:
    mended = {"consignee": QUEEN_ST, "order_ref": "B-9"}
    async with world.agent() as agent:
        await agent.does("bulk_create_orders", orders=[*GOOD, FOR_NOBODY], confirm=True)
        again = await agent.does("bulk_create_orders", orders=[*GOOD, mended], confirm=True)
        listed = await agent.does("get_orders")
    assert (again["created"], again["existing"], "failed" in again, listed["total"]) == (1, 3, False, 4)


async def test_create_all_or_none(world: AgentWorld) -> None:
    async with world.agent() as agent:
        told = await agent.is_refused(
            "bulk_create_orders", orders=[*GOOD, FOR_NOBODY], stop_on_error=True, confirm=True
        )
        listed = await agent.does("get_orders")
    assert [fault["field"] for fault in told["errors"]] == ["orders.3.customer_id"]
    assert listed["total"] == 0


async def test_preview_a_batch_before_sending_it(world: AgentWorld) -> None:
    async with world.agent(dry_run="1") as agent:
        shown = await agent.does("bulk_create_orders", orders=[*GOOD, FOR_NOBODY])
        listed = await agent.does("get_orders")
    assert (shown["dry_run"], shown["preview"]["created"], shown["preview"]["failed"]) == (True, 3, 1)
    assert listed["total"] == 0


async def test_send_a_batch_in_the_background_and_fetch_the_result_later(world: AgentWorld) -> None:
    async with world.agent() as agent:
        sent = await agent.does("bulk_create_orders_async", orders=[*GOOD, FOR_NOBODY], confirm=True)
        waiting = await agent.does("get_async_batch_result", id=sent["asyncId"])
        await world.app.work_off()
        done = await agent.does("get_async_batch_result", id=sent["asyncId"])
    assert waiting["done"] == 0
    assert (done["created"], done["failed"], done["done"]) == (3, 1, 4)
