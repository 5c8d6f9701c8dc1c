"""Prompts and completions: menu entries, and suggestions while typing."""

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.agents.agent_world import AgentWorld

PROMPTS = {"morning", "late_orders", "claim", "driver_absent", "hand_over"}
ORDERS = types.ResourceTemplateReference(uri="haulier://orders/{order_id}")


async def offered(client: Client) -> set[str]:
    return {each.name for each in (await client.list_prompts()).prompts}


async def values(client: Client, prompt: str, argument: str, typed: str = "") -> list[str]:
    """Return the suggestions for an argument of a prompt."""
    ref = types.PromptReference(name=prompt)
    return (await client.complete(ref, {"name": argument, "value": typed})).completion.values


async def text_of(client: Client, prompt: str, **arguments: str) -> str:
    (message,) = (await client.get_prompt(prompt, arguments)).messages
    assert message.role == "user"
    return message.content.text  # type: ignore[union-attr]


async def test_prompts_are_offered_to_users_of_their_tools(world: AgentWorld) -> None:
    async with world.client() as staff:
        assert await offered(staff) == PROMPTS
        claim = next(each for each in (await staff.list_prompts()).prompts if each.name == "claim")
        assert [(each.name, each.required) for each in claim.arguments or ()] == [("number", True), ("reason", False)]
    async with world.client(said={"profile": "ops-readonly"}) as reader:
        assert await offered(reader) == PROMPTS - {"driver_absent"}
    async with world.client("customer") as customer:
        assert await offered(customer) == {"claim"}
    async with world.client(None) as anybody:
        assert await offered(anybody) == set()
    async with world.client(server="developer") as developer:
        assert await offered(developer) == set()


async def test_a_prompt_is_rendered_in_the_callers_language_with_its_arguments(world: AgentWorld) -> None:
    async with world.client(said={"language": "de"}) as staff:
        text = await text_of(staff, "late_orders")
        assert "alle Kunden" in text
        assert "list_exceptions" in text
        assert "A-1" in await text_of(staff, "claim", number=" A-1\nand ")


async def test_an_invalid_prompt_request_is_refused_by_argument(world: AgentWorld) -> None:
    async with world.client() as staff:
        for name, arguments, place in (
            ("claim", {}, "arguments.number"),
            ("claim", {"number": "x" * 201}, "arguments.number"),
            ("morning", {"colour": "red"}, "arguments.colour"),
        ):
            with pytest.raises(MCPError) as error:
                await staff.get_prompt(name, arguments)
            assert (error.value.code, error.value.data["errors"][0]["field"]) == (-32602, place)
    async with world.client("customer") as customer:
        with pytest.raises(MCPError) as error:
            await customer.get_prompt("morning")
        assert error.value.code == -32602


async def test_completions_start_with_the_typed_text(world: AgentWorld) -> None:
    order = await world.order(order_ref="A-1")
    await world.order(order_ref="B-2")
    for name in ("Ada Driver", "Bo Driver"):
        await world.app.answer("admin", "create_driver", {"name": name})
    async with world.client() as staff:
        assert await values(staff, "claim", "number", "a-1") == [order.tracking_number]
        assert order.tracking_number in await values(staff, "claim", "number")
        assert await values(staff, "driver_absent", "driver", "ad") == ["Ada Driver"]
        assert await values(staff, "late_orders", "customer", "customer@") == ["customer@demo.example"]
        assert "recipient_absent" in await values(staff, "claim", "reason", "recipient")
        assert await values(staff, "morning", "day", "2026") == []
        found = await staff.complete(ORDERS, {"name": "order_id", "value": "A-1"})
        assert found.completion.values == [str(order.id)]
        for ref, argument in ((types.PromptReference(name="nothing"), "x"), (types.PromptReference(name="claim"), "x")):
            with pytest.raises(MCPError) as error:
                await staff.complete(ref, {"name": argument, "value": ""})
            assert error.value.code == -32602


async def test_completions_contain_only_permitted_values(world: AgentWorld) -> None:
    await world.order(order_ref="A-1")
    async with world.client("rival") as rival:
        assert await values(rival, "claim", "number", "A-1") == []
        assert await values(rival, "late_orders", "customer") == ["rival_customer@rival.example"]
    async with world.client("customer") as customer:
        assert await values(customer, "claim", "number", "A-1") == []


async def test_completions_are_limited_to_a_hundred_with_constant_statements(world: AgentWorld) -> None:
    row = {"consignee": {"name": "Ada", "address": "1 King St", "city": "Toronto", "country": "CA"}}
    statements, ref = [], types.PromptReference(name="claim")
    for beginning in ("M", "N"):
        rows = [{**row, "order_ref": f"{beginning}-{number}"} for number in range(100)]
        await world.app.answer("admin", "bulk_create_orders", {"orders": rows})
        async with world.client() as staff:
            await staff.list_prompts()
            began = world.app.statements
            found = (await staff.complete(ref, {"name": "number", "value": ""})).completion
            statements.append(world.app.statements - began)
    assert (len(found.values), found.has_more) == (100, True)
    assert statements[1] <= statements[0]
