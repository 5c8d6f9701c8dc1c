"""Senders see proof of delivery, by operation and on a page."""

from tests.contexts.recipients.makers import make_awaited_order, make_delivered_order
from tests.support.app import App
from tests.support.transport import status_and_code
from tests.web.page_client import get_page, page_text


async def test_customers_see_the_proof_of_their_own_orders(app: App) -> None:
    order, photo = await make_delivered_order(app)
    shown = (await app.rest("customer", "GET", f"/v1/orders/{order.id}/proof")).json()
    assert (shown["status"], shown["proof"]["recipient"], shown["proof"]["photos"]) == ("DELIVERED", "B. Roy", [photo])
    picture = await app.rest("customer", "GET", f"/v1/orders/{order.id}/proof/{photo}")
    assert picture.json()["media_type"] == "image/png"
    for who in ("customer2", "contractor", "rival"):
        for asked in ({"order_id": order.id}, {"order_id": order.id, "file_id": photo}):
            operation = "get_order_proof_file" if "file_id" in asked else "get_order_proof"
            assert status_and_code(await app.call(who, operation, asked)) == (404, "NOT_FOUND"), (who, operation)
    other = {"order_id": order.id, "file_id": photo + 1}
    assert status_and_code(await app.call("customer", "get_order_proof_file", other)) == (404, "NOT_FOUND")


async def test_an_undelivered_order_has_no_proof(app: App) -> None:
    order = await make_awaited_order(app, who="customer")
    assert (await app.answer("customer", "get_order_proof", {"order_id": order.id})).proof is None
    page = await get_page(app, f"/orders/{order.id}/proof", "customer")
    assert "No proof of delivery yet." in page_text(page)


async def test_the_page_shows_the_recipient_and_the_photos(app: App) -> None:
    order, photo = await make_delivered_order(app)
    path = f"/orders/{order.id}/proof"
    page = await get_page(app, path, "customer")
    assert page.headers["cache-control"] == "no-store"
    assert "Received by B. Roy" in page_text(page)
    assert f'src="{path}/{photo}"' in page.text
    assert (await get_page(app, f"{path}/{photo}", "customer")).headers["content-type"] == "image/png"
    assert (await get_page(app, f"{path}/{photo}", "customer2")).status_code == 404
    assert (await get_page(app, path, "customer2")).status_code == 404
    assert (await get_page(app, path)).headers["location"] == f"/sign-in?next={path}"
