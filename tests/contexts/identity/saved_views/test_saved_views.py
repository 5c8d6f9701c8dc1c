"""Saved list views, private or shared with all staff."""

import asyncio
from typing import Any

import pytest
from tests.support.app import App
from tests.support.transport import make_order

from haulier.contexts.identity.saved_views import store
from haulier.contexts.identity.saved_views.rules import VIEWS_MAX

HELD = {"noun": "orders", "name": "On hold", "filters": {"status": ["HOLD"]}, "columns": ["id", "name"]}


async def keep(app: App, who: str = "employee", **values: Any) -> Any:
    """Save a view of a user."""
    return (await app.answer(who, "save_view", {**HELD, **values})).saved_view


async def seen(app: App, who: str, **asked: Any) -> list[str]:
    """Return the names of the views of a user."""
    return [each.name for each in (await app.answer(who, "list_saved_views", asked)).saved_views]


async def test_a_private_view_is_visible_only_to_its_owner(app: App) -> None:
    view = await keep(app)
    assert (view.filters, view.columns, view.for_everybody, view.first) == (
        {"status": ["HOLD"]},
        ["id", "name"],
        False,
        False,
    )
    assert await seen(app, "employee") == ["On hold"]
    assert await seen(app, "admin") == []
    assert (await app.call("admin", "delete_saved_view", {"saved_view_id": view.id})).status == 404


async def test_a_shared_view_is_visible_to_the_office_and_to_no_other_business(app: App) -> None:
    view = await keep(app, for_everybody=True)
    assert await seen(app, "admin") == ["On hold"]
    assert await seen(app, "rival") == []
    assert (await app.call("rival", "set_default_view", {"saved_view_id": view.id})).status == 404
    assert (await app.call("customer", "list_saved_views")).status == 403


async def test_private_views_are_listed_first_and_both_groups_by_name(app: App) -> None:
    await keep(app, name="b", for_everybody=True)
    await keep(app, name="A", for_everybody=True)
    await keep(app, name="z")
    await keep(app, name="d", noun="drivers", filters={}, columns=[])
    assert await seen(app, "employee") == ["d", "z", "A", "b"]
    assert await seen(app, "employee", noun="orders", search="B") == ["b"]
    page = await app.answer("employee", "list_saved_views", {"per_page": 1, "page": 2})
    assert (page.total, [each.name for each in page.saved_views]) == (4, ["z"])


async def test_a_view_name_is_unique_per_audience_and_list(app: App) -> None:
    await keep(app)
    result = await app.call("employee", "save_view", HELD)
    assert (result.status, result.error and result.error["code"]) == (409, "SAVED_VIEW_TAKEN")
    await keep(app, for_everybody=True)
    await keep(app, "admin")
    await keep(app, noun="drivers", filters={}, columns=[])


async def test_a_view_can_be_renamed_replaced_and_shared(app: App) -> None:
    view = await keep(app)
    one = {"saved_view_id": view.id}
    await app.answer("employee", "update_saved_view", {**one, "name": "Held", "filters": {"search": ["Toronto"]}})
    changed = (
        await app.answer("employee", "update_saved_view", {**one, "columns": [], "for_everybody": True})
    ).saved_view
    assert (changed.name, changed.filters, changed.columns) == ("Held", {"search": ["Toronto"]}, [])
    assert await seen(app, "admin") == ["Held"]


async def test_a_shared_view_can_be_changed_by_its_creator_and_admins(app: App) -> None:
    of_admin, own = await keep(app, "admin", for_everybody=True), await keep(app, name="Mine", for_everybody=True)
    refused = await app.call("employee", "update_saved_view", {"saved_view_id": of_admin.id, "name": "Other"})
    assert (refused.status, refused.error and refused.error["code"]) == (403, "SAVED_VIEW_OF_ANOTHER")
    listed = (await app.answer("employee", "list_saved_views")).saved_views
    assert {each.name: each.changeable for each in listed} == {"On hold": False, "Mine": True}
    await app.answer("admin", "delete_saved_view", {"saved_view_id": own.id})
    assert await seen(app, "employee") == ["On hold"]


async def test_an_admin_who_unshares_a_view_becomes_its_owner(app: App) -> None:
    view = await keep(app, for_everybody=True)
    await app.answer("employee", "set_default_view", {"saved_view_id": view.id})
    taken = await app.answer("admin", "update_saved_view", {"saved_view_id": view.id, "for_everybody": False})
    assert (taken.saved_view.for_everybody, taken.saved_view.made_by) == (False, app.ids["admin"])
    assert await seen(app, "employee") == []


@pytest.mark.parametrize("for_everybody", [False, True])
async def test_concurrent_saves_respect_the_maximum_number_of_views(app: App, for_everybody: bool) -> None:
    for number in range(VIEWS_MAX - 1):
        await keep(app, name=f"View {number}", for_everybody=for_everybody)
    people = ("admin", "employee") if for_everybody else ("employee", "employee")
    asked = [{**HELD, "name": f"Last {number}", "for_everybody": for_everybody} for number in range(12)]
    answers = await asyncio.gather(
        *(app.call(people[number % 2], "save_view", values) for number, values in enumerate(asked))
    )
    assert sorted(each.error["code"] if each.error else "kept" for each in answers) == [
        *["SAVED_VIEWS_FULL"] * 11,
        "kept",
    ]
    assert len(await seen(app, "employee")) == VIEWS_MAX


async def test_each_user_has_one_default_view_per_list(app: App) -> None:
    shared, own = await keep(app, for_everybody=True), await keep(app, name="Mine")
    await app.answer("employee", "set_default_view", {"saved_view_id": shared.id})
    await app.answer("employee", "set_default_view", {"saved_view_id": own.id})

    async def first(who: str) -> list[str]:
        listed = (await app.answer(who, "list_saved_views")).saved_views
        return [each.name for each in listed if each.first]

    assert (await first("employee"), await first("admin")) == (["Mine"], [])
    await app.answer("employee", "set_default_view", {"saved_view_id": own.id, "first": False})
    assert await first("employee") == []


async def test_a_deleted_view_is_no_longer_a_default(app: App) -> None:
    view = await keep(app, for_everybody=True)
    await app.answer("admin", "set_default_view", {"saved_view_id": view.id})
    await app.answer("employee", "delete_saved_view", {"saved_view_id": view.id})
    again = await keep(app, for_everybody=True)
    listed = (await app.answer("admin", "list_saved_views")).saved_views
    assert [(each.id, each.first) for each in listed] == [(again.id, False)]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"noun": "unicorns"}, "noun"),
        ({"filters": {"horn": ["1"]}}, "filters.horn"),
        ({"filters": {"page": ["2"]}}, "filters.page"),
        ({"columns": ["id", "horn"]}, "columns.1"),
        ({"name": "  "}, "name"),
    ],
)
async def test_an_unknown_column_is_refused_by_field(app: App, values: dict[str, Any], field: str) -> None:
    result = await app.call("employee", "save_view", {**HELD, **values})
    assert result.error
    assert (result.status, [each["field"] for each in result.error["errors"]]) == (422, [field])


async def test_a_list_has_a_maximum_number_of_views(app: App) -> None:
    for number in range(VIEWS_MAX):
        await keep(app, name=f"View {number}")
    result = await app.call("employee", "save_view", HELD)
    assert (result.status, result.error and result.error["code"]) == (409, "SAVED_VIEWS_FULL")
    await keep(app, for_everybody=True)


async def test_a_view_reports_columns_that_no_longer_exist(app: App) -> None:
    kept = {"made_by": app.ids["employee"], "kept_for": app.ids["employee"]}
    dates = {"created_at": app.clock(), "updated_at": app.clock()}
    old = {
        "noun": "orders",
        "name": "Old",
        "filters": {"horn": ["1"], "search": ["Toronto"]},
        "columns": ["id", "mane"],
    }
    async with app.database.write(app.clients["demo"]) as work:
        await store.insert_view(work, **old, **kept, **dates)
        await store.insert_view(work, **{**old, "noun": "unicorns"}, **kept, **dates)
    listed = (await app.answer("employee", "list_saved_views")).saved_views
    assert [(each.noun, each.gone) for each in listed] == [("orders", ["horn", "mane"]), ("unicorns", ["unicorns"])]


async def test_a_shared_view_lists_only_records_the_reader_can_access(app: App) -> None:
    """A view shares filters and columns; each reader reads with their own rights."""
    order_id = await make_order(app)
    await make_order(app, who="rival")
    view = await keep(app, "admin", filters={"status": ["NEW_ORDER"]}, columns=["id"], for_everybody=True)
    for who, scopes in (("reader", ["account:read", "orders:read"]), ("weak", ["account:read"])):
        asked = {"name": who, "scopes": scopes, "expires_in_days": 1}
        app.tokens[who] = (await app.answer("employee", "issue_api_token", asked)).access_token
        (shared,) = (await app.answer(who, "list_saved_views")).saved_views
        assert (shared.id, shared.changeable) == (view.id, False)
    found = await app.answer("reader", "get_orders", {"status": "NEW_ORDER"})
    assert [order.id for order in found.orders] == [order_id]
    refused = await app.call("weak", "get_orders", {"status": "NEW_ORDER"})
    assert (refused.status, refused.error and refused.error["code"]) == (403, "SCOPE_MISSING")
    assert (await app.call("driver", "list_saved_views")).status == 403
