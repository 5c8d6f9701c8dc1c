"""Package quantities: each package is weighed, priced, labelled and tracked."""

from tests.support.app import App
from tests.support.transport import make_contact, make_order

THREE = {"weight_g": 500, "quantity": 3, "description": "Tea"}


async def test_three_identical_packages_are_three_packages(app: App) -> None:
    apart = await make_order(app, packages=[{"weight_g": 500}] * 3)
    order_id = await make_order(app, packages=[THREE])
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert (order.weight_g, order.package_count, len(order.packages)) == (1500, 3, 3)
    assert {piece.weight_g for piece in order.packages} == {500}
    assert len({piece.tracking_number for piece in order.packages}) == 3
    same = (await app.answer("admin", "get_order_detail", {"order_id": apart})).order
    assert order.shipping_price == same.shipping_price
    labels = (await app.answer("admin", "print_local_label", {"order_id": order_id})).data
    assert [(label.piece, label.pieces, label.weight_g) for label in labels] == [(1, 3, 500), (2, 3, 500), (3, 3, 500)]


async def test_a_rerouted_order_keeps_its_packages(app: App) -> None:
    order_id = await make_order(app, packages=[THREE, {"weight_g": 100}])
    asked = {"order_id": order_id, "address": make_contact()}
    again = (await app.answer("admin", "reroute_to_address", asked)).order
    assert (again.weight_g, again.package_count) == (1600, 4)


async def test_an_order_has_at_most_200_packages(app: App) -> None:
    asked = {"consignee": make_contact(), "packages": [{"quantity": 150}, {"quantity": 51}]}
    outcome = await app.call("admin", "create_order", asked)
    assert outcome.error
    assert (outcome.status, outcome.error["errors"][0]["code"]) == (422, "TOO_MANY_PIECES")
