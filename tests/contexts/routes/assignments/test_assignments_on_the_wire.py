"""Assignment endpoints as in the interface document, through the REST API."""

from tests.support.app import App
from tests.support.transport import make_order, make_route

PATH = "/v1/broker-order-assignments"
RECORD = [
    "id",
    "order_id",
    "order_ref",
    "order_status_id",
    "scheduled_date",
    "route_id",
    "broker_id",
    "broker_name",
    "status",
    "note",
    "assigned_by",
    "assigned_at",
    "ended_by",
    "ended_at",
    "end_reason",
    "respond_by",
    "accepted_at",
]
"""Fields of the interface in order, then additional ones: deadline and acceptance."""


async def test_orders_can_be_assigned_listed_and_revoked(app: App) -> None:
    order_id, broker = await make_order(app), app.ids["contractor"]
    assigned = await app.rest("admin", "POST", PATH, {"order_ids": [order_id, 999_999], "broker_id": broker})
    assert assigned.status_code == 200
    words = {"order_id": 999_999, "message": "There is no order 999999.", "code": "ORDER_UNKNOWN"}
    assert assigned.json() == {"result": True, "assigned": 1, "skipped": 1, "errors": [words]}
    listed = (await app.rest("employee", "GET", f"{PATH}?broker_id={broker}&status=active&per_page=200")).json()
    assert list(listed) == ["result", "total", "page", "per_page", "assignments"]
    assert (listed["result"], listed["total"], listed["page"], listed["per_page"]) == (True, 1, 1, 200)
    (record,) = listed["assignments"]
    assert list(record) == RECORD
    assert (record["order_ref"], record["scheduled_date"], record["ended_at"]) == (None, "2026-06-10", None)
    assert record["assigned_at"] == "2026-06-10T10:00:00-04:00"
    revoked = await app.rest("admin", "POST", f"{PATH}/revoke", {"order_ids": [order_id], "reason": "late"})
    assert revoked.json() == {"result": True, "revoked": 1, "skipped": 0, "errors": []}


async def test_assigning_no_order_is_a_success_without_results(app: App) -> None:
    body = {"order_ids": [999_999], "broker_id": app.ids["contractor"]}
    answer = await app.rest("admin", "POST", PATH, body, headers={"Accept-Language": "fr"})
    assert (answer.status_code, answer.json()["result"]) == (200, False)
    assert answer.json()["errors"][0]["message"] == "La commande 999999 n’existe pas."


async def test_orders_can_be_released(app: App) -> None:
    order_id = await make_order(app)
    await app.rest("admin", "POST", PATH, {"order_ids": [order_id], "broker_id": app.ids["contractor"]})
    foreign = await app.rest("contractor2", "POST", f"{PATH}/release", {"order_id": order_id})
    assert (foreign.status_code, foreign.json()["code"]) == (400, "NOT_ASSIGNED_TO_YOU")
    route_id = await make_route(app, who="contractor", order_ids=[order_id])
    planned = await app.rest("contractor", "POST", f"{PATH}/release", {"order_id": order_id})
    assert (planned.status_code, planned.json()["code"]) == (400, "ORDER_ON_ROUTE")
    body = {"order_ids": [order_id]}
    assert (await app.rest("admin", "POST", f"/v1/routes/{route_id}/orders/remove", body)).status_code == 200
    released = await app.rest("contractor", "POST", f"{PATH}/release", {"order_id": order_id})
    assert released.json() == {"result": True, "message": f"Order {order_id} was released."}


async def test_errors_are_reported_by_field(app: App) -> None:
    for body in ({"broker_id": 1}, {"order_ids": [1]}, {"order_ids": [1], "broker_id": 999_999}):
        assert (await app.rest("admin", "POST", PATH, body)).status_code == 422
    too_long = {"order_ids": [1], "broker_id": app.ids["contractor"], "note": "x" * 501}
    assert (await app.rest("admin", "POST", PATH, too_long)).json()["errors"][0]["field"] == "note"
    late = {"order_ids": [1], "reason": "x" * 256}
    assert (await app.rest("admin", "POST", f"{PATH}/revoke", late)).json()["errors"][0]["field"] == "reason"
    for query in ("per_page=201", "per_page=0", "page=0", "status=gone", "broker_id=x"):
        assert (await app.rest("admin", "GET", f"{PATH}?{query}")).status_code == 422


async def test_unauthorized_callers_get_an_explanation(app: App) -> None:
    assert (await app.rest("contractor", "POST", PATH, {"order_ids": [1], "broker_id": 1})).status_code == 403
    assert (await app.rest("employee", "POST", f"{PATH}/revoke", {"order_ids": [1]})).status_code == 403
    assert (await app.rest("admin", "POST", f"{PATH}/release", {"order_id": 1})).status_code == 403
    assert (await app.rest("customer", "GET", PATH)).status_code == 403
    assert (await app.rest(None, "GET", PATH)).status_code == 401
