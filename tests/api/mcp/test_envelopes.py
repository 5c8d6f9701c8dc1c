"""Messages that are not JSON-RPC are rejected with the invalid members."""

from typing import Any

import httpx
from tests.api.mcp.mcp_servers import serve_mcp
from tests.support.app import App

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES


async def refusal(app: App, body: str, **headers: str) -> tuple[int, dict[str, Any]]:
    sent = {"content-type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        answer = await http.post(f"{base}/mcp", content=body, headers=sent)
    return answer.status_code, answer.json()


async def test_missing_and_invalid_members_are_reported(app: App) -> None:
    for body, named in (
        ('{"id": 1, "method": "ping"}', {"jsonrpc": "MISSING"}),
        ('{"jsonrpc": "1.0", "id": 1, "method": 5}', {"jsonrpc": "LITERAL_ERROR", "method": "STRING_TYPE"}),
        ('{"jsonrpc": "2.0", "id": null}', {"method": "MISSING", "id": "JSON_RPC_ID"}),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', {"params": "MODEL_TYPE"}),
        ('"ping"', {"": "MODEL_TYPE"}),
    ):
        status, answer = await refusal(app, body)
        error = answer["error"]
        assert (status, answer["jsonrpc"], error["code"]) == (400, "2.0", -32600), body
        assert {fault["field"]: fault["code"] for fault in error["data"]["errors"]} == named, body


async def test_the_response_has_the_id_of_the_message(app: App) -> None:
    assert (await refusal(app, '{"id": "a", "method": "ping"}'))[1]["id"] == "a"


async def test_invalid_json_and_a_wrong_content_type_are_distinguished(app: App) -> None:
    status, answer = await refusal(app, "{")
    assert (status, answer["error"]["code"], answer["error"]["data"]["code"]) == (400, -32700, "MALFORMED_JSON")
    status, answer = await refusal(app, "{}", content_type="text/plain")
    assert (status, answer["error"]["data"]["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


async def test_the_message_is_in_the_callers_language(app: App) -> None:
    body = '{"id": 1, "method": "ping"}'
    told = {(await refusal(app, body, accept_language=each))[1]["error"]["message"] for each in SUPPORTED_LANGUAGES}
    assert len(told) == len(SUPPORTED_LANGUAGES)
