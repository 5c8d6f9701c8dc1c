"""Admins define custom fields, and users list the visible ones."""

from msgspec import UNSET
from tests.contexts.custom_fields.makers import TEXT, faults_of, make_field
from tests.support.app import App

from haulier.contexts.custom_fields.definitions.rules import MAX_FILTERABLE
from haulier.contexts.custom_fields.fields import MAX_FIELDS


async def test_only_fields_visible_to_the_caller_are_listed(app: App) -> None:
    await make_field(app, "margin", visible_to=[], editable_by=[])
    await make_field(
        app, "purchase_order", visible_to=["employee", "customer"], labels={"en": "Order", "fr": "Commande"}
    )
    await make_field(app, "licence", "driver")
    seen = {
        who: [field.name for field in (await app.answer(who, "list_custom_fields")).custom_fields]
        for who in ("admin", "employee", "customer", "driver", "rival")
    }
    assert seen == {
        "admin": ["licence", "margin", "purchase_order"],
        "employee": ["licence", "purchase_order"],
        "customer": ["purchase_order"],
        "driver": [],
        "rival": [],
    }
    (field,) = (
        await app.answer("customer", "list_custom_fields", {"kind": "order"}, accept_language="fr")
    ).custom_fields
    assert (field.label, field.editable) == ("Commande", False)
    hidden = await app.call("customer", "get_custom_field", {"custom_field_id": 1})
    assert hidden.status == 404


async def test_errors_in_a_definition_are_reported(app: App) -> None:
    order = {"kind": "order", "name": "a", "value_schema": TEXT}
    wrong = {
        "value_schema.type": {"value_schema": {"type": "object"}},
        "value_schema.$ref": {"value_schema": {"type": "string", "$ref": "https://elsewhere.example"}},
        "default": {"default": 5},
        "editable_by": {"editable_by": ["customer"]},
        "filterable": {"kind": "package", "filterable": True},
        "shared_with_partners": {"kind": "driver", "shared_with_partners": True},
        "name": {"name": "Purchase order"},
    }
    found = {
        field: [*await faults_of(app, "admin", "create_custom_field", order | said)] for field, said in wrong.items()
    }
    assert found == {field: [field] for field in wrong}


async def test_each_record_kind_has_a_maximum_number_of_fields_and_filters(app: App) -> None:
    for number in range(MAX_FILTERABLE):
        await make_field(app, f"filter_{number}", filterable=True)
    order = {"kind": "order", "name": "more", "value_schema": TEXT}
    refused = await faults_of(app, "admin", "create_custom_field", order | {"filterable": True})
    assert refused == {"filterable": "CUSTOM_FILTERABLE_FULL"}
    for number in range(MAX_FIELDS - MAX_FILTERABLE):
        await make_field(app, f"plain_{number}")
    assert await faults_of(app, "admin", "create_custom_field", order) == {"kind": "CUSTOM_FULL"}
    await app.answer("admin", "archive_custom_field", {"custom_field_id": 1})
    assert (await make_field(app, "more")).version == 1
    assert await faults_of(app, "admin", "restore_custom_field", {"custom_field_id": 1}) == {"kind": "CUSTOM_FULL"}


async def test_an_update_names_the_version_it_changes(app: App) -> None:
    field = await make_field(app, "purchase_order", default="none")
    change = {"custom_field_id": field.id, "version": 1, "labels": {"en": "PO"}, "default": None}
    changed = (await app.answer("admin", "update_custom_field", change)).custom_field
    assert (changed.version, changed.label, changed.default, changed.value_schema) == (2, "PO", UNSET, TEXT)
    outcome = await app.call("admin", "update_custom_field", change)
    assert (outcome.status, outcome.error["code"]) == (409, "CUSTOM_FIELD_CHANGED")


async def test_an_archived_name_stays_reserved_and_can_be_restored(app: App) -> None:
    field = await make_field(app, "purchase_order")
    ref = {"custom_field_id": field.id}
    for archived in (True, True):
        assert (await app.answer("admin", "archive_custom_field", ref)).custom_field.archived is archived
    assert (await app.answer("employee", "list_custom_fields", {"archived": True})).custom_fields == []
    assert len((await app.answer("admin", "list_custom_fields", {"archived": True})).custom_fields) == 1
    taken = await app.call("admin", "create_custom_field", {"kind": "order", "name": field.name, "value_schema": TEXT})
    assert taken.error["code"] == "CUSTOM_FIELD_NAME_TAKEN"
    for _ in range(2):
        assert (await app.answer("admin", "restore_custom_field", ref)).custom_field.archived is False


async def test_cached_definitions_are_invalidated_immediately(app: App) -> None:
    from contextlib import AsyncExitStack

    from tests.contexts.custom_fields.makers import make_order

    from haulier.contexts.custom_fields.definitions.queries import KnownFields

    async with AsyncExitStack() as stack:
        await app.application.adapter(KnownFields).listen(stack)
        assert (await make_order(app)).custom_fields == {}
        before = app.statements
        await make_order(app)
        remembering = app.statements - before
        await make_field(app, "handling", default="gentle")
        assert (await make_order(app)).custom_fields == {"handling": "gentle"}
        before = app.statements
        await make_order(app)
        assert app.statements - before == remembering
