"""Address books of customers, visible only to them and to staff."""

from typing import Any

from tests.contexts.orders.examples import ADDRESS as SOMEBODY
from tests.contexts.places.examples import ADDRESS
from tests.support.app import App


async def make_address(app: App, who: str, **words: Any) -> int:
    return (await app.answer(who, "create_address", {**ADDRESS, **words})).address.id


async def found(app: App, who: str, **asked: Any) -> list[int]:
    answer = await app.answer(who, "search_address", {"search": "queen tor", **asked})
    return sorted(each.address_id for each in answer.addresses)


async def listed(app: App, who: str, **asked: Any) -> list[int]:
    return sorted(each.id for each in (await app.answer(who, "list_addresses", asked)).addresses)


async def test_customers_see_only_their_own_addresses_and_the_office_sees_all(app: App) -> None:
    office, own, other = [await make_address(app, who) for who in ("admin", "customer", "customer2")]
    for asked in ({}, {"search": "queen tor"}):
        assert await listed(app, "customer", **asked) == [own]
        assert await listed(app, "admin", **asked) == [office, own, other]
        assert await listed(app, "admin", customer_id=app.ids["customer2"], **asked) == [other]
        assert await listed(app, "rival", **asked) == []
    assert await found(app, "customer") == [own]
    assert await found(app, "customer", search="qeuen toronto") == [own], "a slip is forgiven in one's own book"
    assert await found(app, "employee") == [office, own, other]
    assert await found(app, "admin", customer_id=app.ids["customer"]) == [own]
    shown = (await app.answer("admin", "get_address", {"address_id": own})).address
    assert (shown.customer_id, shown.name) == (app.ids["customer"], ADDRESS["name"])
    for operation, values in (
        ("get_address", {}),
        ("update_address", {"name": "Eve"}),
        ("delete_address", {}),
    ):
        for foreign in (office, other):
            result = await app.call("customer", operation, {"address_id": foreign, **values})
            assert result.status == 404, operation
    for operation in ("search_address", "list_addresses"):
        theirs = {"search": "queen", "customer_id": app.ids["customer2"]}
        assert (await app.call("customer", operation, theirs)).status == 422, operation


async def test_a_customer_can_update_and_delete_an_address_and_read_its_gate_code(app: App) -> None:
    own = await make_address(app, "customer", gate_code="4711#")
    changed = await app.answer("customer", "update_address", {"address_id": own, "name": "Bob", "default_sender": True})
    assert (changed.address.name, changed.address.gate_code) == ("Bob", "4711#")
    assert (await app.answer("customer", "get_default_sender")).address.id == own
    await app.answer("customer", "delete_address", {"address_id": own})
    assert await listed(app, "customer") == []


async def test_each_book_has_its_own_references_default_sender_and_duplicates(app: App) -> None:
    people = ("admin", "customer", "customer2")
    ids = {who: await make_address(app, who, reference="HQ", default_sender=True) for who in people}
    for who in people:
        assert (await app.answer(who, "get_default_sender")).address.id == ids[who]
    assert (await app.answer("admin", "list_duplicate_addresses")).groups == []
    merged = {"address_id": ids["admin"], "duplicate_ids": [ids["customer"]]}
    assert (await app.call("admin", "merge_addresses", merged)).status == 422
    assert (await app.call("customer", "create_address", {**ADDRESS, "reference": "HQ"})).status == 409


async def test_an_order_uses_addresses_from_the_customers_own_book(app: App) -> None:
    own, other = await make_address(app, "customer"), await make_address(app, "customer2")
    order = (await app.answer("customer", "create_order", {"recipient_address_id": own})).order
    assert order.name == ADDRESS["name"]
    assert (await app.call("customer", "create_order", {"recipient_address_id": other})).status == 422


async def test_an_order_keeps_its_text_when_its_address_is_changed_merged_or_deleted(app: App) -> None:
    used, twin = await make_address(app, "admin"), await make_address(app, "admin")
    made = (await app.answer("admin", "create_order", {"recipient_address_id": used})).order
    await app.answer("admin", "update_address", {"address_id": used, "name": "Bob", "address": "1 King St W"})
    await app.answer("admin", "merge_addresses", {"address_id": twin, "duplicate_ids": [used]})
    await app.answer("admin", "delete_address", {"address_id": twin})
    kept = (await app.answer("admin", "get_order_detail", {"order_id": made.id})).order
    assert (kept.name, kept.address, kept.city) == (ADDRESS["name"], ADDRESS["address"], ADDRESS["city"])


async def test_the_default_sender_is_used_for_orders_that_name_no_sender(app: App) -> None:
    async def sender(who: str, **words: Any) -> str | None:
        values = {"type": "P2P", "consignee": SOMEBODY, **words}
        result = await app.call(who, "create_order", values)
        if result.error:
            return ",".join(each["code"] for each in result.error["errors"])
        asked = {"order_id": result.answer.order.id}
        shipper = (await app.answer("admin", "get_order_detail", asked)).order.shipper
        return shipper and shipper.name

    assert await sender("admin") == "SHIPPER_NEEDED"
    await make_address(app, "admin", name="Our depot", default_sender=True)
    assert await sender("admin") == "Our depot"
    assert await sender("customer") == "SHIPPER_NEEDED", "the business's own is no customer's"
    await make_address(app, "customer", name="Shop", default_sender=True)
    assert await sender("customer") == "Shop"
    assert await sender("admin", customer_id=app.ids["customer"]) == "Shop"
    assert await sender("admin", customer_id=app.ids["customer2"]) == "Our depot"
    assert await sender("admin", shipper={**SOMEBODY, "name": "Said"}) == "Said"
    assert await sender("admin", type="D") is None, "a delivery comes from the depot"
    batch = {"orders": [{"type": "P"}, {"type": "P", "shipper": {**SOMEBODY, "name": "Said"}}]}
    assert [each.state for each in (await app.answer("customer", "bulk_create_orders", batch)).outcomes] == [
        "created"
    ] * 2


async def test_default_senders_of_many_orders_cost_one_statement(app: App) -> None:
    await make_address(app, "customer", default_sender=True)
    counted = []
    for count in (1, 1, 20):
        app.statements = 0
        await app.answer("customer", "bulk_create_orders", {"orders": [{"type": "P"}] * count})
        counted.append(app.statements)
    assert counted[1] == counted[2]
