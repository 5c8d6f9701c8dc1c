"""Reroutes: the holder stays, the recipient is redirected, and the price is shown."""

from tests.support.app import App
from tests.support.transport import make_contact, make_order

SHIPPER = make_contact(postal_code="M1B 1A1")
FARTHER = make_contact(address="9 Farther St", lat=43.9, lng=-79.0)


async def test_the_old_number_leads_to_the_new_one_for_every_package(app: App) -> None:
    order_id = await make_order(app, packages=[{"quantity": 2}])
    before = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    new = (await app.answer("admin", "reroute_to_address", {"order_id": order_id, "address": FARTHER})).order
    after = (await app.answer("admin", "get_order_detail", {"order_id": new.id})).order
    for old_piece, new_piece in zip(before.packages, after.packages, strict=True):
        public = (await app.http.get(f"/api/v1/tracking/{old_piece.tracking_number}")).json()
        assert (public["status"], public["replaced_by"]) == ("cancelled", new_piece.tracking_number)
        page = await app.http.get(f"/track/{old_piece.tracking_number}")
        assert f'href="/track/{new_piece.tracking_number}"' in page.text
    public = (await app.http.get(f"/api/v1/tracking/{new.tracking_number}")).json()
    assert public["replaced_by"] is None


async def test_the_contractor_of_the_old_order_keeps_the_new_one(app: App) -> None:
    order_id = await make_order(app)
    held = {"order_ids": [order_id], "broker_id": app.ids["contractor"]}
    await app.answer("admin", "assign_orders_to_broker", held)
    done = await app.answer("admin", "reroute_to_address", {"order_id": order_id, "address": FARTHER})
    assert done.contractor_id == done.order.contractor_id == app.ids["contractor"]
    listed = (await app.answer("admin", "list_broker_order_assignments", {"status": "active"})).assignments
    assert [record.order_id for record in listed] == [done.order.id]


async def test_a_dry_run_shows_the_price_of_the_new_address(app: App) -> None:
    order_id = await make_order(app, shipper=SHIPPER)
    asked = {"order_id": order_id, "address": FARTHER}
    rehearsed = (await app.call("admin", "reroute_to_address", asked, dry_run=True)).answer
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert (order.status, order.replaced_by_order_id) == ("NEW_ORDER", None)
    assert rehearsed.price.before == order.shipping_price
    assert rehearsed.price.after == order.shipping_price + rehearsed.price.difference
    done = await app.answer("admin", "reroute_to_address", asked)
    assert done.price == rehearsed.price
    assert done.price.difference > 0
