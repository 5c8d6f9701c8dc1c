"""Long work as tasks: progress, result and cancellation."""

from typing import Any, Literal

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.shared.exceptions import MCPError
from tests.agents.agent_world import QUEEN_ST, AgentWorld


class TaskResult(types.Result):
    """Fields that begin a task."""

    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    created_at: str
    last_updated_at: str
    ttl_ms: int | None
    poll_interval_ms: int


class TaskRequest(types.Request[Any, Literal["tasks/get", "tasks/cancel", "tasks/update"]]):
    """A request of the extension."""

    method: Literal["tasks/get", "tasks/cancel", "tasks/update"]
    params: Any


class TaskAnswer(types.Result):
    """A response of any shape."""

    model_config = {**types.Result.model_config, "extra": "allow"}


async def unresolved(result: TaskResult, context: Any) -> types.CallToolResult:
    raise AssertionError("these stories follow their tasks themselves")


class KnowsTasks(ClientExtension):
    """A client that says that it knows tasks."""

    identifier = "io.modelcontextprotocol/tasks"

    def claims(self) -> Any:
        return [ResultClaim(result_type="task", model=TaskResult, resolve=unresolved)]


KNOWING: dict[str, Any] = {"extensions": [KnowsTasks()]}


async def asked(client: Client, method: Any, task_id: str) -> dict[str, Any]:
    request = TaskRequest(method=method, params={"taskId": task_id})
    answer = await client.session.send_request(request, TaskAnswer)  # type: ignore[arg-type]
    return answer.model_dump(by_alias=True)


async def begun(client: Client, tool: str, **arguments: Any) -> Any:
    return await client.session.call_tool(tool, {**arguments, "confirm": True}, allow_claimed=True)


async def test_a_batch_of_orders_is_a_task_until_it_is_done(world: AgentWorld) -> None:
    async with world.client(**KNOWING) as client:
        task = await begun(client, "bulk_create_orders_async", orders=[{"consignee": QUEEN_ST}] * 3)
        assert (task.result_type, task.status, task.ttl_ms) == ("task", "working", None)
        assert "result" not in await asked(client, "tasks/get", task.task_id)
        await world.app.work_off()
        done = await asked(client, "tasks/get", task.task_id)
        assert (done["status"], done["result"]["isError"]) == ("completed", False)
        assert done["result"]["structuredContent"]["created"] == 3
        assert (await asked(client, "tasks/cancel", task.task_id))["resultType"] == "complete"
        assert (await asked(client, "tasks/get", task.task_id))["status"] == "completed"


async def test_a_route_plan_can_be_cancelled_by_its_task(world: AgentWorld) -> None:
    orders = [await world.order(scheduled_date="2026-06-11", order_ref=f"A-{number}") for number in range(2)]
    await world.route(orders[0].id)
    async with world.client(**KNOWING) as client:
        task = await begun(client, "build_route", day="2026-06-11")
        assert task.task_id.startswith("build_route:")
        await asked(client, "tasks/cancel", task.task_id)
        assert (await asked(client, "tasks/get", task.task_id))["status"] == "cancelled"
        assert (await asked(client, "tasks/update", task.task_id))["resultType"] == "complete"


async def test_previews_and_pending_writes_are_results_and_not_tasks(world: AgentWorld) -> None:
    for said, member in (({"dry_run": "1"}, "dry_run"), ({"approval": "1"}, "queued")):
        async with world.client(said=said, **KNOWING) as client:
            result = await begun(client, "bulk_create_orders_async", orders=[{"consignee": QUEEN_ST}])
            assert (result.result_type, result.structured_content[member]) == ("complete", True)


async def test_clients_without_tasks_get_the_number_of_the_batch(world: AgentWorld) -> None:
    async with world.client() as client:
        result = await client.call_tool(
            "bulk_create_orders_async", {"orders": [{"consignee": QUEEN_ST}], "confirm": True}
        )
        assert isinstance(result.structured_content["asyncId"], int)  # type: ignore[index]
        with pytest.raises(MCPError) as error:
            await asked(client, "tasks/get", "bulk_create_orders_async:1")
        assert error.value.code == types.MISSING_REQUIRED_CLIENT_CAPABILITY


async def test_a_task_of_another_business_is_not_found(world: AgentWorld) -> None:
    async with world.client(**KNOWING) as client, world.client("rival", **KNOWING) as rival:
        task = await begun(client, "bulk_create_orders_async", orders=[{"consignee": QUEEN_ST}])
        for task_id in (task.task_id, "bulk_create_orders_async:x", "hold_orders:1", "build_route:" + "9" * 40):
            for method in ("tasks/get", "tasks/update", "tasks/cancel"):
                with pytest.raises(MCPError) as error:
                    await asked(rival, method, task_id)
                assert (error.value.code, error.value.data["code"]) == (types.INVALID_PARAMS, "NOT_FOUND")
        assert (await asked(client, "tasks/get", task.task_id))["status"] == "working"


async def test_a_confirmed_call_becomes_a_task(world: AgentWorld) -> None:
    agreed: Any = {"confirm": types.ElicitResult(action="accept", content={"confirm": True})}
    orders = {"orders": [{"consignee": QUEEN_ST}]}

    async def person(context: Any, params: Any) -> types.ElicitResult:
        return agreed["confirm"]

    async with world.client(elicitation_callback=person, **KNOWING) as client:
        call = client.session.call_tool
        question = await call("bulk_create_orders_async", orders, allow_input_required=True)
        assert isinstance(question, types.InputRequiredResult)
        task: Any = await call(
            "bulk_create_orders_async",
            orders,
            input_responses=agreed,
            request_state=question.request_state,
            allow_claimed=True,
        )
    assert (task.result_type, task.status) == ("task", "working")
