"""Lists are filtered by custom fields."""

import pytest
from tests.contexts.custom_fields.makers import faults_of, make_field, make_order
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

from haulier.contexts.custom_fields.values import rules


async def found(app: App, *filters: str, who: str = "admin") -> list[int]:
    """The orders that some filters find."""
    return [order.id for order in (await app.answer(who, "get_orders", {"custom_fields": filters})).orders]


@pytest.mark.parametrize("gathered", [rules.MAX_GATHERED, 0])
async def test_orders_can_be_filtered_by_values_of_every_type(
    app: App, gathered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if every filter matches too many, so that the list is scanned in its order."""
    monkeypatch.setattr(rules, "MAX_GATHERED", gathered)
    text, number, truth, day = (
        {"type": kind, **more}
        for kind, more in (("string", {}), ("number", {}), ("boolean", {}), ("string", {"format": "date"}))
    )
    for name, schema in (("po", text), ("weight", number), ("urgent", truth), ("due", day)):
        await make_field(app, name, value_schema=schema, filterable=True)
    a = (await make_order(app, po="Ä-1:b", weight=-2.5, urgent=True, due="2026-11-01")).id
    b = (await make_order(app, po="B", weight=10, urgent=False, due="2026-12-01")).id
    await make_order(app)
    expected = {
        ("po:ä-1:B",): [a],
        ("weight:10",): [b],
        ("weight>=-3",): [b, a],
        ("weight<=0",): [a],
        ("urgent:true",): [a],
        ("urgent:false",): [b],
        ("due>=2026-11-01", "due<=2026-11-30"): [a],
        ("weight>=-3", "urgent:false"): [b],
        ("po:C",): [],
    }
    assert {filters: await found(app, *filters) for filters in expected} == expected


async def test_an_invalid_filter_is_refused_with_its_position(app: App) -> None:
    await make_field(app, "po", filterable=True)
    await make_field(app, "floors", value_schema={"type": "integer"}, filterable=True)
    await make_field(app, "plain")
    await make_field(app, "margin", filterable=True, visible_to=[], editable_by=[])
    filters = ["po=1", "plain:1", "floors:many", "margin:high"]
    assert await faults_of(app, "employee", "get_orders", {"custom_fields": filters}) == {
        "custom_fields.0": "CUSTOM_FILTER",
        "custom_fields.1": "NOT_INDEXED",
        "custom_fields.2": "FILTER_VALUE",
        "custom_fields.3": "NOT_INDEXED",
    }


async def test_a_filter_matches_current_values(app: App) -> None:
    await make_field(app, "po", filterable=True)
    order = (await make_order(app, po="1")).id
    await app.answer("admin", "update_order_custom_fields", {"order_id": order, "custom_fields": {"po": "2"}})
    assert (await found(app, "po:1"), await found(app, "po:2")) == ([], [order])
    await app.answer("admin", "update_order_custom_fields", {"order_id": order, "custom_fields": {"po": None}})
    assert await found(app, "po:2") == []


async def test_existing_orders_are_indexed_when_a_field_becomes_filterable(app: App) -> None:
    field = await make_field(app, "po")
    order = (await make_order(app, po="1")).id
    change = {"custom_field_id": field.id, "version": 1, "filterable": True}
    assert (await app.answer("admin", "update_custom_field", change)).custom_field.indexing is True
    assert await faults_of(app, "admin", "get_orders", {"custom_fields": ["po:1"]}) == {
        "custom_fields.0": "CUSTOM_INDEXING"
    }
    app.clock.forward(seconds=10)
    await app.work_off()
    assert (await app.answer("admin", "get_custom_field", {"custom_field_id": field.id})).custom_field.indexing is False
    assert await found(app, "po:1") == [order]


async def test_changing_the_type_of_a_field_rebuilds_its_index_and_keeps_old_values(app: App) -> None:
    field = await make_field(app, "po", filterable=True)
    old = await make_order(app, po="word")
    change = {"custom_field_id": field.id, "version": 1, "value_schema": {"type": "integer"}}
    await app.answer("admin", "update_custom_field", change)
    new = (await make_order(app, po=7)).id
    app.clock.forward(seconds=10)
    await app.work_off()
    assert await found(app, "po>=0") == [new]
    kept = (await app.answer("admin", "get_order_detail", {"order_id": old.id})).order
    assert kept.custom_fields == {"po": "word"}


@pytest.mark.parametrize("filters", [[], ["po:1"], ["po>=0", "floor:2"]])
async def test_a_list_uses_a_constant_number_of_statements(app: App, filters: list[str]) -> None:
    for name in ("po", "floor"):
        await make_field(app, name, filterable=True)

    async def cost() -> int:
        before = app.statements
        await app.answer("admin", "get_orders", {"custom_fields": filters, "per_page": 200})
        return app.statements - before

    async def more(count: int) -> None:
        order = {"consignee": ADDRESS, "custom_fields": {"po": "1", "floor": "2"}}
        await app.answer("admin", "bulk_create_orders", {"orders": [order] * count}, confirmed=True)

    await more(5)
    await cost()  # what is read once per process is read
    few = await cost()
    await more(50)
    assert 0 < await cost() == few


async def test_many_orders_write_their_index_keys_in_one_statement(app: App) -> None:
    await make_field(app, "po", filterable=True)

    async def cost(count: int) -> int:
        before = app.statements
        order = {"consignee": ADDRESS, "custom_fields": {"po": "1"}}
        await app.answer("admin", "bulk_create_orders", {"orders": [order] * count}, confirmed=True)
        return app.statements - before

    await cost(1)
    assert 0 < await cost(1) == await cost(30)
