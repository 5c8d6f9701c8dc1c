"""Packages of customers in stock."""

from tests.contexts.storage.examples import BOX, PHOTO
from tests.contexts.storage.makers import make_order, make_shelf, make_tariff, refusal, stored
from tests.support.app import App


async def test_received_packages_are_listed_only_for_their_customer(app: App) -> None:
    await make_tariff(app)
    shelf = await make_shelf(app)
    order = await make_order(app)
    (tyres,) = await stored(app, order.id, shelf, description="Winter tyres", reference="BOX-1")
    (other,) = await stored(app, order.id, shelf)
    await app.answer("admin", "return_stored_package", {"package_id": other})
    listed = (await app.answer("customer", "list_stored_packages", {"state": "stored"})).stored_packages
    assert [(each.id, each.description, each.weight_g, each.location_id) for each in listed] == [
        (tyres, "Winter tyres", BOX["weight_g"], shelf)
    ]
    by_reference = await app.answer("customer", "list_stored_packages", {"reference": "BOX-1"})
    assert [each.id for each in by_reference.stored_packages] == [tyres]
    for who, operation in (("customer2", "list_stored_packages"), ("rival", "list_customer_packages")):
        assert (await app.answer(who, operation)).total == 0
    on_shelf = await app.answer("employee", "list_customer_packages", {"location_id": shelf})
    assert [each.id for each in on_shelf.stored_packages] == [other, tyres]


async def test_a_customer_can_open_pictures_of_their_own_packages(app: App) -> None:
    await make_tariff(app)
    (package,) = await stored(app, (await make_order(app)).id, await make_shelf(app))
    shown = (await app.answer("admin", "add_package_photo", {"package_id": package, **PHOTO})).stored_package
    (photo,) = shown.photo_ids
    assert (await app.answer("customer", "get_file", {"file_id": photo})).file.about == f"stored_package:{package}"
    assert (await app.call("customer2", "get_file", {"file_id": photo})).status == 404
    for _ in range(9):
        await app.answer("admin", "add_package_photo", {"package_id": package, **PHOTO})
    assert await refusal(app, "admin", "add_package_photo", {"package_id": package, **PHOTO}) == (
        409,
        "TOO_MANY_PHOTOS",
    )


async def test_packages_are_stored_in_suitable_locations(app: App) -> None:
    await make_tariff(app)
    order = await make_order(app)
    shelf = await make_shelf(app)
    came = {"storage_order_id": order.id, "packages": [{**BOX, "location_id": shelf}]}
    assert await refusal(app, "admin", "receive_stored_packages", came) == (409, "STORAGE_STEP_REFUSED")
    await app.answer("admin", "confirm_storage_order", {"storage_order_id": order.id})
    await app.answer("admin", "update_location", {"location_id": shelf, "blocked": True})
    assert await refusal(app, "admin", "receive_stored_packages", came) == (409, "LOCATION_NOT_USABLE")
    nowhere = {**came, "packages": [{**BOX, "location_id": 10**6}]}
    assert await refusal(app, "admin", "receive_stored_packages", nowhere) == (404, "NOT_FOUND")


async def test_a_package_is_returned_once(app: App) -> None:
    await make_tariff(app)
    (package,) = await stored(app, (await make_order(app)).id, await make_shelf(app))
    returned = (await app.answer("admin", "return_stored_package", {"package_id": package})).stored_package
    assert returned.state == "returned"
    assert returned.left_at is not None
    assert await refusal(app, "admin", "return_stored_package", {"package_id": package}) == (409, "PACKAGE_NOT_FREE")
