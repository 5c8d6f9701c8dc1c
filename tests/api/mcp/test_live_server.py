"""A real server in a separate process, with the demo business and official client."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp_types import PromptReference
from tests.api.mcp.schema_fit import assert_fits_schema
from tests.contexts.warehouse.examples import ANSWER, LOADED, TEAPOT, WASHER
from tests.support.live import make_server

WITHOUT_A_RECORD = {
    *("get_async_batch_result", "get_plan_search", "get_route_build", "get_label_parse", "get_ship_job"),
    *("uniorder_get", "uniorder_label", "uniorder_tracking", "uniorder_job"),
}
"""Read tools for which the demo has nothing to show: no batch was sent to it, no plan computed, nothing ordered by one form,
no label read."""
TORONTO = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA", "postal_code": "M5H 2N2"}


@asynccontextmanager
async def make_session(base: str) -> AsyncIterator[ClientSession]:
    """The official client, signed in to the demo business as its admin."""
    login = {"email": "admin@demo.example", "password": "haulier-demo"}
    async with httpx.AsyncClient(timeout=60) as plain:
        token = (await plain.post(f"{base}/api/v1/user/login", json=login)).json()["access_token"]
    async with (
        httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as client,
        streamable_http_client(f"{base}/mcp", http_client=client) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        yield session


PALLET = {"length_mm": 1220, "width_mm": 1016, "height_mm": 1200, "weight_g": 250000, "description": "Frames"}
FREIGHT: dict[str, dict[str, Any]] = {
    "get_freight_shipment": {"freight_shipment_id": 1},
    "get_freight_document": {"freight_shipment_id": 1},
    "quote_freight": {"consignee": {**TORONTO, "country": "FI"}, "handling_units": [PALLET]},
}


async def some_arguments(session: ClientSession) -> dict[str, dict[str, Any]]:
    """Return arguments for tools that require a record: one of the demo."""
    orders = (await session.call_tool("get_orders", {"per_page": 1})).structured_content
    waiting = (await session.call_tool("get_orders", {"per_page": 1, "status": "NEW_ORDER"})).structured_content
    routes = (await session.call_tool("get_routes", {"per_page": 1})).structured_content
    drivers = (await session.call_tool("get_drivers", {"per_page": 1})).structured_content
    assert all((orders, waiting, routes, drivers))
    order = orders["orders"][0]
    one = {"order_id": order["id"]}
    return FREIGHT | {
        "get_operation_events": {"order_ids": [order["id"]]},
        "find_order": {"search": order["tracking_number"]},
        "get_order_detail": one,
        "otep_client_tracking": one,
        "order_snapshot": one,
        "print_local_label": one,
        "get_async_batch_result": {"id": 1},
        "get_shipping_rate": {"consignee": TORONTO, "shipper": TORONTO},
        "compare_all_carriers": {"consignee": TORONTO, "shipper": TORONTO},
        "get_shipping_detail": {"shipment_id": 1, "confirm": True},
        "download_shipping_label": {"shipment_id": 1, "confirm": True},
        "get_plan_search": {"plan_search_id": 1},
        "get_route_build": {"build_id": 1},
        "get_order_return": {"order_return_id": 1},
        "get_ship_job": {"ship_job_id": 1},
        "list_fulfilments": one,
        "rate_order": {"order_id": waiting["orders"][0]["id"]},
        "get_alliance": {"alliance_id": 1},
        "get_label_parse": {"parse_id": 1},
        "pack": {"pieces": [TEAPOT]},
        "check_packing_plan": {"pieces": [TEAPOT], **ANSWER, "cartons": [1]},
        "load": {"pieces": [WASHER]},
        "check_load_plan": {"pieces": [WASHER], **LOADED, "spaces": [1]},
        "uniorder_rate": {"consignee": TORONTO, "shipper": TORONTO, "quote_labels": True},
        "uniorder_rate_batch": {"shipments": [{"consignee": TORONTO}]},
        "uniorder_get": {"orderId": 1},
        "uniorder_label": {"orderId": 1},
        "uniorder_tracking": {"orderId": 1},
        "uniorder_job": {"jobId": 1},
        "search_address": {"search": "king"},
        "get_dataset": {"dataset_id": 1},
        "search_dataset_records": {"dataset_id": 1},
        "list_alliance_members": {"alliance_id": 1},
        "describe_operation": {"name": "merge_routes", "answer": True},
        "quote_delivery": {"consignee": {"postal_code": "M5V 2T6"}},
        "get_route_detail": {"route_id": routes["routes"][0]["id"]},
        "get_driver_routes_today": {"driver_id": drivers["drivers"][0]["id"]},
        "track_package": {"number": order["tracking_number"]},
        "otep_tracking": {"tracking_number": order["tracking_number"]},
    }


async def what_there_is_beside_tools(session: ClientSession) -> None:
    """Read the demo's resources, prompts and completions with the official client."""
    listed = (await session.list_resources()).resources
    order = next(each for each in listed if each.uri.startswith("haulier://orders/"))
    (contents,) = (await session.read_resource(order.uri)).contents
    assert json.loads(contents.text)["order"]["tracking_number"] == order.name  # type: ignore[union-attr]
    timeline = (await session.read_resource(f"haulier://timelines/{order.name}")).contents
    assert order.name in timeline[0].text  # type: ignore[union-attr]
    assert {each.name for each in (await session.list_prompts()).prompts} >= {"morning", "late_orders", "claim"}
    ref = PromptReference(type="ref/prompt", name="claim")
    values = (await session.complete(ref, {"name": "number", "value": order.name[:6]})).completion.values
    assert order.name in values
    (message,) = (await session.get_prompt("claim", {"number": order.name})).messages
    assert order.name in message.content.text  # type: ignore[union-attr]


async def test_responses_of_a_real_server_to_the_official_client_fit_the_schemas(tmp_path: Path) -> None:
    with make_server(tmp_path) as base:
        async with make_session(base) as session:
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            arguments = await some_arguments(session)
            reads = [tool for tool in tools.values() if tool.annotations and tool.annotations.read_only_hint]
            answers = {tool.name: await session.call_tool(tool.name, arguments.get(tool.name, {})) for tool in reads}
            found = await session.call_tool("get_orders", {"per_page": 2})
            await what_there_is_beside_tools(session)
    assert {"create_order", "get_routes", "track_package"} <= tools.keys()
    assert len(reads) >= 12
    refused = {name: answer.structured_content for name, answer in answers.items() if answer.is_error}
    codes = {name: answer and answer["code"] for name, answer in refused.items()}
    assert codes == dict.fromkeys(WITHOUT_A_RECORD, "NOT_FOUND"), refused
    for name in answers.keys() - refused.keys():
        assert_fits_schema(answers[name].structured_content, tools[name].output_schema)
    assert found.structured_content
    assert found.structured_content["total"] > 60
