"""Invalid tokens are refused everywhere, never treated as anonymous.

Public writes do not read the token: they sign users in, and a client may still send an expired one.
"""

from tests.support.app import App
from tests.support.descriptions import openapi

from haulier.app import registry
from haulier.kernel.operations.declaration import Rest
from haulier.kernel.operations.enums import Effect
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request

CONSIGNEE = {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}


async def test_every_operation_except_public_writes_refuses_an_invalid_token(app: App) -> None:
    for operation in app.application.registry:
        result = await handle_request(
            app.application,
            OperationRequest(operation=operation, interface="rest", request_id="-", body=b"{}", token="made-up"),
        )
        code = (result.error or {}).get("code")
        if operation.public and operation.effect is Effect.WRITE:
            assert code not in {"INVALID_TOKEN", "UNAUTHENTICATED"}, operation.name
        else:
            assert (result.status, code) == (401, "INVALID_TOKEN"), operation.name


def test_the_openapi_description_includes_the_refusal() -> None:
    paths = openapi()["paths"]
    for rest, operation in registry().bindings(Rest):
        reads_tokens = not operation.public or operation.effect is Effect.READ
        told = "401" in paths[rest.path][rest.method.lower()]["responses"]
        declared = any(error.status == 401 for error in operation.errors)
        assert told == (reads_tokens or declared), operation.name


async def test_an_expired_token_is_refused_by_public_operations(app: App) -> None:
    order = await app.answer("admin", "create_order", {"order_ref": "ENDED-1", "consignee": CONSIGNEE})
    number = order.order.tracking_number
    token = app.tokens["admin"]
    path = f"/api/v1/tracking/{number}"
    assert (await app.http.get(path)).status_code == 200
    app.clock.forward(days=400)
    ended = await app.http.get(path, headers={"authorization": f"Bearer {token}"})
    assert (ended.status_code, ended.json()["code"]) == (401, "TOKEN_EXPIRED")
    query = {"query": f'{{ trackingPublic(number: "{number}") {{ status }} }}'}
    graphql = await app.http.post("/graphql", json=query, headers={"authorization": f"Bearer {token}"})
    assert graphql.json()["errors"][0]["extensions"]["code"] == "TOKEN_EXPIRED"
