"""The GraphQL explorer: documents run with the session of the user only."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import get_page, session_cookie

from haulier.web.session import csrf_token_of


async def run(app: App, who: str, document: str, headers: dict[str, str] | None = None, **variables: Any) -> Any:
    """Return the response to a document sent from the page of a user."""
    app.http.cookies.clear()
    sent = {"cookie": session_cookie(app, who), "x-csrf": csrf_token_of(app.tokens[who]), **(headers or {})}
    body = {"query": document, "variables": variables}
    return await app.http.post("/api/docs/graphql/run", json=body, headers=sent)


async def test_a_query_runs_with_the_users_session(app: App) -> None:
    order_id = await make_order(app)
    document = "query Order($id: Long!) { order(order_id: $id) { order { id } } }"
    own, others = [await run(app, who, document, id=order_id) for who in ("employee", "rival")]
    assert own.json() == {"data": {"order": {"order": {"id": order_id}}}}
    assert others.json()["errors"][0]["extensions"]["status"] == 404


async def test_a_mutation_can_be_previewed(app: App) -> None:
    order_id = await make_order(app)
    document = "mutation Cancel($id: Long!) { cancelOrder(order_id: $id) { result } }"
    rehearsed = await run(app, "admin", document, {"x-dry-run": "true"}, id=order_id)
    assert rehearsed.json()["extensions"]["dry_run"] is True
    assert (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.status != "cancelled"


async def test_cross_site_and_anonymous_requests_are_refused(app: App) -> None:
    for refused in ({"x-csrf": "guess"}, {"sec-fetch-site": "cross-site"}):
        assert (await run(app, "employee", "{ __typename }", refused)).status_code == 403
    assert (await run(app, "employee", "{ __typename }", {"cookie": ""})).status_code == 401


async def test_the_page_opens_with_the_field_in_its_url_and_lists_all(app: App) -> None:
    page = (await get_page(app, "/api/docs/graphql?field=order", "admin")).text
    assert "query Order($order_id: Long!)" in page
    assert ['data-field="orders"' in page, 'data-field="cancelOrder"' in page] == [True, True]
    assert app.tokens["admin"] not in page
    unknown = await get_page(app, "/api/docs/graphql?field=nothing")
    assert (unknown.status_code, "Sign in" in unknown.text) == (200, True)


async def test_a_field_can_be_read_as_json(app: App) -> None:
    told = await app.http.get("/api/docs/graphql/fields/order")
    assert (told.status_code, told.json()["variables"]) == (200, {"order_id": 1})
    assert (await app.http.get("/api/docs/graphql/fields/nothing")).status_code == 404
