"""Orders and their packages have values of custom fields."""

from tests.contexts.custom_fields.makers import faults_of, make_field, make_order
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

NEW = {"consignee": ADDRESS}


async def test_an_order_stores_and_returns_custom_values(app: App) -> None:
    await make_field(app, "purchase_order")
    await make_field(app, "floors", value_schema={"type": "integer", "minimum": 0})
    await make_field(app, "fragile", "package", value_schema={"type": "boolean"})
    packages = [{"quantity": 2, "custom_fields": {"fragile": True}}, {}]
    order = await make_order(app, packages=packages, floors=3, purchase_order="4711")
    assert order.custom_fields == {"purchase_order": "4711", "floors": 3}
    assert [piece.custom_fields for piece in order.packages] == [{"fragile": True}, {"fragile": True}, {}]
    listed = (await app.answer("admin", "get_orders")).orders
    assert [each.custom_fields for each in listed] == [order.custom_fields]


async def test_each_invalid_value_is_reported(app: App) -> None:
    await make_field(app, "purchase_order", required=True)
    await make_field(app, "floors", value_schema={"type": "integer", "minimum": 0})
    await make_field(app, "fragile", "package", value_schema={"type": "boolean"})
    values = {
        **NEW,
        "custom_fields": {"floors": -1, "colour": "red"},
        "packages": [{}, {"custom_fields": {"fragile": "very"}}],
    }
    assert await faults_of(app, "admin", "create_order", values) == {
        "custom_fields.purchase_order": "MISSING",
        "custom_fields.floors": "MINIMUM",
        "custom_fields.colour": "CUSTOM_UNKNOWN",
        "packages.1.custom_fields.fragile": "TYPE",
    }


async def test_a_default_applies_when_no_value_is_given(app: App) -> None:
    await make_field(app, "handling", default="standard", required=True)
    assert (await make_order(app)).custom_fields == {"handling": "standard"}
    assert (await make_order(app, handling="gentle")).custom_fields == {"handling": "gentle"}


async def test_accounts_read_and_write_only_fields_open_to_them(app: App) -> None:
    await make_field(
        app, "purchase_order", visible_to=["employee", "customer"], editable_by=["customer"], required=True
    )
    await make_field(app, "margin", visible_to=[], editable_by=[])
    values = {**NEW, "custom_fields": {"purchase_order": "4711"}}
    order = (await app.answer("customer", "create_order", values)).order
    both = {"purchase_order": "4711", "margin": "high"}
    await app.answer("admin", "update_order_custom_fields", {"order_id": order.id, "custom_fields": both})
    shown = {
        who: (await app.answer(who, "get_order_detail", {"order_id": order.id})).order.custom_fields
        for who in ("admin", "employee", "customer")
    }
    assert shown == {
        "admin": both,
        "employee": {"purchase_order": "4711"},
        "customer": {"purchase_order": "4711"},
    }
    change = {"order_id": order.id, "custom_fields": both}
    assert await faults_of(app, "employee", "update_order_custom_fields", change) == {
        "custom_fields.purchase_order": "CUSTOM_NOT_EDITABLE",
        "custom_fields.margin": "CUSTOM_UNKNOWN",
    }
    # Callers who may not write a required field can omit it.
    await app.answer("employee", "create_order", NEW)
    assert await faults_of(app, "customer", "create_order", NEW) == {"custom_fields.purchase_order": "MISSING"}


async def test_an_update_changes_named_values_and_keeps_the_rest(app: App) -> None:
    for name in ("a", "b", "c"):
        await make_field(app, name, required=name == "c")
    await make_field(app, "serial", "package")
    order = await make_order(app, a="1", b="2", c="3", packages=[{"custom_fields": {"serial": "S1"}}, {}])
    change = {
        "order_id": order.id,
        "custom_fields": {"a": "9", "b": None},
        "packages": [{"package_id": order.packages[1].id, "custom_fields": {"serial": "S2"}}],
    }
    changed = (await app.answer("admin", "update_order_custom_fields", change)).order
    assert changed.custom_fields == {"a": "9", "c": "3"}
    assert [piece.custom_fields for piece in changed.packages] == [{"serial": "S1"}, {"serial": "S2"}]
    emptied = {"order_id": order.id, "custom_fields": {"c": None}}
    assert await faults_of(app, "admin", "update_order_custom_fields", emptied) == {"custom_fields.c": "MISSING"}
    stranger = {"order_id": order.id, "packages": [{"package_id": 9_999, "custom_fields": {}}]}
    assert await faults_of(app, "admin", "update_order_custom_fields", stranger) == {
        "packages.0.package_id": "PACKAGE_UNKNOWN"
    }


async def test_a_stricter_definition_applies_from_the_next_write_of_the_value(app: App) -> None:
    field = await make_field(app, "purchase_order")
    await make_field(app, "other")
    order = await make_order(app, purchase_order="loose")
    stricter = {"type": "string", "pattern": "^[0-9]+$"}
    await app.answer(
        "admin", "update_custom_field", {"custom_field_id": field.id, "version": 1, "value_schema": stricter}
    )
    change = {"order_id": order.id, "custom_fields": {"other": "x"}}
    changed = (await app.answer("admin", "update_order_custom_fields", change)).order
    assert changed.custom_fields == {"purchase_order": "loose", "other": "x"}
    again = {"order_id": order.id, "custom_fields": {"purchase_order": "loose"}}
    assert await faults_of(app, "admin", "update_order_custom_fields", again) == {
        "custom_fields.purchase_order": "PATTERN"
    }


async def test_a_repeat_returns_the_existing_order_and_other_values_create_another(app: App) -> None:
    await make_field(app, "purchase_order")
    await make_field(app, "handling", default="standard")
    await make_field(app, "serial", "package", default="none")
    values = {**NEW, "order_ref": "A-1", "custom_fields": {"purchase_order": "1"}}
    first = await app.answer("admin", "create_order", values)
    await app.answer("admin", "update_order_note", {"order_id": first.order.id, "note": "Ring"})
    again = await app.answer("admin", "create_order", values)
    assert (again.existing, again.order.id) == (True, first.order.id)
    outcome = await app.call("admin", "create_order", values | {"custom_fields": {"purchase_order": "2"}})
    assert outcome.error["code"] == "ORDER_REF_TAKEN"
    assert "custom_fields.purchase_order" in {fault["field"] for fault in outcome.error["errors"]}


async def test_each_order_of_a_batch_is_validated_separately(app: App) -> None:
    await make_field(app, "floors", value_schema={"type": "integer"})
    orders = [{**NEW, "custom_fields": {"floors": floors}} for floors in (1, "two")]
    now = await app.answer("admin", "bulk_create_orders", {"orders": orders}, confirmed=True)
    assert [outcome.state for outcome in now.outcomes] == ["created", "refused"]
    assert [fault.field for fault in now.outcomes[1].errors] == ["custom_fields.floors"]
    later = await app.answer("admin", "bulk_create_orders_async", {"orders": orders}, confirmed=True)
    await app.work_off()
    outcomes = (await app.answer("admin", "get_async_batch_result", {"id": later.async_id})).outcomes
    assert [outcome.state for outcome in outcomes] == ["created", "refused"]
    assert [fault.field for fault in outcomes[1].errors] == ["custom_fields.floors"]


async def test_rerouting_an_order_copies_values_including_those_hidden_from_the_caller(app: App) -> None:
    await make_field(app, "margin", visible_to=[], editable_by=[], filterable=True)
    await make_field(app, "contact", personal=True)
    await make_field(app, "serial", "package")
    field = await make_field(app, "old")
    order = await make_order(app, margin="high", contact="Ada", old="x", packages=[{"custom_fields": {"serial": "S"}}])
    await app.answer("admin", "archive_custom_field", {"custom_field_id": field.id})
    elsewhere = {"order_id": order.id, "address": {**ADDRESS, "address": "1 Front St"}}
    moved = await app.answer("employee", "reroute_to_address", elsewhere, confirmed=True)
    await app.answer("admin", "restore_custom_field", {"custom_field_id": field.id})
    new = (await app.answer("admin", "get_order_detail", {"order_id": moved.order.id})).order
    assert new.custom_fields == {"margin": "high", "contact": "Ada", "old": "x"}
    assert [piece.custom_fields for piece in new.packages] == [{"serial": "S"}]
    found = await app.answer("admin", "get_orders", {"custom_fields": ["margin:high"]})
    assert [each.id for each in found.orders] == [new.id, order.id]


async def test_replaced_packages_keep_the_values_of_their_position(app: App) -> None:
    await make_field(app, "serial", "package")
    order = await make_order(app, packages=[{"custom_fields": {"serial": "S1"}}, {"custom_fields": {"serial": "S2"}}])
    pieces = [{"weight_g": 5}, {"weight_g": 6, "custom_fields": {"serial": "S9"}}, {"weight_g": 7}]
    await app.answer("admin", "correct_order", {"order_id": order.id, "packages": pieces})
    corrected = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert [piece.custom_fields for piece in corrected.packages] == [{"serial": "S1"}, {"serial": "S9"}, {}]


async def test_values_over_their_limits_are_refused(app: App) -> None:
    await make_field(app, "long", value_schema={"type": "string"})
    values = {**NEW, "custom_fields": {"long": "x" * 1_030}}
    assert await faults_of(app, "admin", "create_order", values) == {"custom_fields.long": "VALUES_TOO_LARGE"}
