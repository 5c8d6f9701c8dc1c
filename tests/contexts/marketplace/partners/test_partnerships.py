"""Partnerships require the consent of both businesses."""

from tests.contexts.marketplace.partners.makers import another_business, make_partnership, offer_orders
from tests.support.app import App
from tests.support.transport import make_order, some_orders, status_and_code


async def states(app: App, who: str) -> list[tuple[str, str, str]]:
    listed = (await app.answer(who, "list_partnerships", {})).partnerships
    return [(each.role, each.business, each.state) for each in listed]


async def test_each_side_sees_a_partnership_from_its_own_perspective(app: App) -> None:
    await make_partnership(app)
    assert await states(app, "admin") == [("give", "rival", "in_force")]
    assert await states(app, "rival") == [("take", "demo", "in_force")]


async def test_the_receiving_side_can_propose_too(app: App) -> None:
    asked = {"business": "demo", "role": "take"}
    proposed = (await app.answer("rival", "propose_partnership", asked)).partnership
    assert (proposed.role, proposed.business, proposed.state) == ("take", "demo", "proposed")
    await app.answer("admin", "accept_partnership", {"partnership_id": proposed.id})
    assert await states(app, "admin") == [("give", "rival", "in_force")]


async def test_the_proposer_cannot_accept_for_the_other_side(app: App) -> None:
    proposed = (await app.answer("admin", "propose_partnership", {"business": "rival"})).partnership
    accepted = await app.call("admin", "accept_partnership", {"partnership_id": proposed.id})
    assert status_and_code(accepted) == (409, "PARTNERSHIP_NOT_ANSWERABLE")


async def test_two_businesses_have_one_partnership_per_direction(app: App) -> None:
    await make_partnership(app)
    again = await app.call("admin", "propose_partnership", {"business": "rival"})
    assert status_and_code(again) == (409, "PARTNERSHIP_EXISTS")
    back = await app.call("rival", "propose_partnership", {"business": "demo"})
    assert status_and_code(back) == (200, None)


async def test_a_partnership_requires_another_existing_business(app: App) -> None:
    for business in ("demo", "nobody"):
        asked = await app.call("admin", "propose_partnership", {"business": business})
        assert status_and_code(asked) == (404, "NOT_FOUND")


async def test_a_third_business_can_neither_see_nor_change_a_partnership(app: App) -> None:
    third = await another_business(app, "third")
    partnership = {"partnership_id": await make_partnership(app)}
    assert await states(app, third) == []
    for operation in ("accept_partnership", "end_partnership"):
        assert status_and_code(await app.call(third, operation, partnership)) == (404, "NOT_FOUND")
    asked = {**partnership, "order_ids": [await make_order(app)]}
    assert status_and_code(await app.call(third, "offer_orders_to_partner", asked)) == (404, "NOT_FOUND")
    assert status_and_code(await app.call("rival", "offer_orders_to_partner", asked)) == (404, "NOT_FOUND"), (
        "they only take"
    )


async def test_ending_a_partnership_ends_open_offers_and_allows_a_new_one(app: App) -> None:
    partnership_id = await make_partnership(app)
    await offer_orders(app, partnership_id, [await make_order(app)])
    ended = (
        await app.answer("rival", "end_partnership", {"partnership_id": partnership_id, "reason": "enough"})
    ).partnership
    assert (ended.state, ended.ended_by_us, ended.reason) == ("ended", True, "enough")
    (left,) = (await app.answer("rival", "list_partner_orders", {})).partner_orders
    assert left.status == "withdrawn"
    asked = {"partnership_id": partnership_id, "order_ids": [await make_order(app)]}
    assert status_and_code(await app.call("admin", "offer_orders_to_partner", asked)) == (
        409,
        "PARTNERSHIP_NOT_IN_FORCE",
    )
    await make_partnership(app)
    assert [state for *_, state in await states(app, "admin")] == ["in_force", "ended"]


async def test_a_proposed_partnership_allows_no_offers(app: App) -> None:
    proposed = (await app.answer("admin", "propose_partnership", {"business": "rival"})).partnership
    asked = {"partnership_id": proposed.id, "order_ids": [await make_order(app)]}
    assert status_and_code(await app.call("admin", "offer_orders_to_partner", asked)) == (
        409,
        "PARTNERSHIP_NOT_IN_FORCE",
    )


async def test_offering_orders_uses_a_constant_number_of_statements(app: App) -> None:
    partnership_id, orders = await make_partnership(app), await some_orders(app, 30)
    spent: list[int] = []
    for batch in (orders[:2], orders[2:]):
        before = app.statements
        await offer_orders(app, partnership_id, batch)
        spent.append(app.statements - before)
    assert spent[0] == spent[1]
