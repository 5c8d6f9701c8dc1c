"""Missing and damaged pieces are exceptions with an owner and a resolution."""

import asyncio
from typing import Any

from msgspec import Struct
from tests.contexts.driver_app.makers import make_upload
from tests.support.app import App
from tests.support.transport import make_order, make_started_route, status_and_code

THREE: list[dict[str, Any]] = [{"weight_g": 500}] * 3


class PartDelivery(Struct, frozen=True):
    """An order with piece 2 damaged and piece 3 missing."""

    order_id: int
    number: str
    stop: dict[str, Any]
    left: list[dict[str, Any]]


async def deliver_in_part(app: App) -> PartDelivery:
    order_id = await make_order(app, packages=THREE)
    route = await make_started_route(app, [order_id])
    stop = {"route_id": route.id, "stop_id": route.stops[0].id}
    number = route.stops[0].tracking_number
    await make_upload(app, route.stops[0].id)
    left = [
        {"barcode": f"{number}-2", "outcome": "damaged", "photos": ["photo-0001"]},
        {"barcode": f"{number}-3", "outcome": "missing"},
    ]
    app.clock.forward(minutes=10)
    await app.answer("driver", "rider_deliver", {**stop, "pieces": left})
    return PartDelivery(order_id, number, stop, left)


async def list_pieces(app: App, **filters: Any) -> list[Any]:
    return list((await app.answer("admin", "list_piece_exceptions", filters)).exceptions)


async def undo(app: App, order_id: int) -> None:
    app.clock.forward(minutes=10)
    await app.answer("admin", "undo_delivery", {"order_id": order_id, "reason": "Wrong stop."})


async def test_order_exceptions_name_the_order_and_its_packages(app: App) -> None:
    given = await deliver_in_part(app)
    listed = await app.answer("admin", "list_exceptions")
    (order,) = listed.exceptions
    assert (order.order_id, order.status) == (given.order_id, "DELIVERED")
    assert [(each.kind, each.piece, each.owner_id) for each in order.problems] == [
        ("piece_damaged", f"{given.number}-2", None),
        ("piece_missing", f"{given.number}-3", None),
    ]
    assert (listed.counts.piece_missing, listed.counts.piece_damaged, listed.total) == (1, 1, 1)
    for kinds, count in ((["piece_missing"], 1), (["piece_damaged", "late"], 1), (["late"], 0)):
        assert (await app.answer("admin", "list_exceptions", {"kinds": kinds})).total == count
    digest = await app.answer("admin", "daily_digest")
    assert [(each.kind, each.count) for each in digest.needs_attention] == [
        ("pieces_missing", 1),
        ("pieces_damaged", 1),
    ]
    assert digest.exceptions_open == 1


async def test_an_exception_can_be_assigned_resolved_and_reopened(app: App) -> None:
    given = await deliver_in_part(app)
    _, missing = await list_pieces(app)
    change = {"exception_id": missing.id}
    me = app.ids["employee"]
    await app.answer("admin", "update_piece_exception", {**change, "owner_id": me})
    assert [each.id for each in await list_pieces(app, owner_id=me)] == [missing.id]
    done = await app.answer(
        "admin",
        "update_piece_exception",
        {**change, "resolved": True, "resolution": "found", "note": "It was in the van."},
    )
    shown = done.exception
    assert (shown.owner_id, shown.resolution, shown.note, shown.resolved_by) == (
        me,
        "found",
        "It was in the van.",
        app.ids["admin"],
    )
    assert [each.piece for each in await list_pieces(app)] == [f"{given.number}-2"]
    assert [each.piece for each in await list_pieces(app, resolved=True)] == [f"{given.number}-3"]
    again = await app.answer("admin", "update_piece_exception", {**change, "resolved": False})
    assert (again.exception.resolution, again.exception.resolved_at, again.exception.owner_id) == (None, None, me)


async def test_an_owner_can_be_removed_and_must_be_office_staff(app: App) -> None:
    await deliver_in_part(app)
    change = {"exception_id": (await list_pieces(app))[0].id}
    await app.answer("admin", "update_piece_exception", {**change, "owner_id": app.ids["admin"]})
    freed = await app.answer("admin", "update_piece_exception", {**change, "owner_id": None})
    assert freed.exception.owner_id is None
    refused = await app.call("admin", "update_piece_exception", {**change, "owner_id": app.ids["customer"]})
    assert status_and_code(refused) == (404, "NOT_FOUND")


async def test_a_resolution_requires_the_resolved_state_and_vice_versa(app: App) -> None:
    await deliver_in_part(app)
    change = {"exception_id": (await list_pieces(app))[0].id}
    for words in ({"resolved": True}, {"resolution": "found"}, {"resolved": False, "resolution": "found"}):
        refused = await app.call("admin", "update_piece_exception", {**change, **words})
        assert status_and_code(refused) == (422, "INVALID_REQUEST")
        assert [fault["field"] for fault in refused.error["errors"]] == ["resolution"]


async def test_lists_can_be_filtered_by_kind_order_and_day(app: App) -> None:
    given = await deliver_in_part(app)
    assert [each.piece for each in await list_pieces(app, kind="piece_missing")] == [f"{given.number}-3"]
    assert len(await list_pieces(app, order_id=given.order_id)) == 2
    assert await list_pieces(app, order_id=given.order_id + 1) == []
    today = app.clock.now.date().isoformat()
    assert len(await list_pieces(app, date_from=today, date_to=today)) == 2
    assert await list_pieces(app, date_to="2026-01-01") == []


async def test_undoing_a_delivery_closes_its_exceptions_and_delivering_again_reopens_them(app: App) -> None:
    given = await deliver_in_part(app)
    _, missing = await list_pieces(app)
    await app.answer("admin", "update_piece_exception", {"exception_id": missing.id, "owner_id": app.ids["admin"]})
    await undo(app, given.order_id)
    assert await list_pieces(app) == []
    assert {each.resolution for each in await list_pieces(app, resolved=True)} == {"delivery_undone"}
    app.clock.forward(minutes=10)
    await app.answer("driver", "rider_deliver", {**given.stop, "pieces": given.left})
    reopened = await list_pieces(app)
    assert [(each.piece, each.resolution) for each in reopened] == [
        (f"{given.number}-2", None),
        (f"{given.number}-3", None),
    ]
    assert (reopened[1].id, reopened[1].owner_id) == (missing.id, app.ids["admin"])


async def test_a_resolved_exception_keeps_its_resolution_when_the_delivery_is_undone(app: App) -> None:
    given = await deliver_in_part(app)
    for each in await list_pieces(app):
        done = {"exception_id": each.id, "resolved": True, "resolution": "replaced"}
        await app.answer("admin", "update_piece_exception", done)
    await undo(app, given.order_id)
    assert {each.resolution for each in await list_pieces(app, resolved=None)} == {"replaced"}


async def test_a_refused_package_is_not_an_exception(app: App) -> None:
    route = await make_started_route(app, [await make_order(app, packages=THREE)])
    stop = {"route_id": route.id, "stop_id": route.stops[0].id}
    refused = {"barcode": f"{route.stops[0].tracking_number}-2", "outcome": "refused"}
    await app.answer("driver", "rider_deliver", {**stop, "pieces": [refused]})
    assert await list_pieces(app) == []


async def test_another_business_can_neither_see_nor_change_exceptions(app: App) -> None:
    await deliver_in_part(app)
    assert (await app.answer("rival", "list_piece_exceptions", {})).total == 0
    change = {"exception_id": (await list_pieces(app))[0].id, "owner_id": None}
    assert status_and_code(await app.call("rival", "update_piece_exception", change)) == (404, "NOT_FOUND")


async def test_resolving_and_undoing_concurrently_leaves_no_open_exception(app: App) -> None:
    given = await deliver_in_part(app)
    _, missing = await list_pieces(app)
    app.clock.forward(minutes=10)
    done = {"exception_id": missing.id, "resolved": True, "resolution": "found"}
    both = await asyncio.gather(
        app.call("admin", "update_piece_exception", done),
        app.call("employee", "undo_delivery", {"order_id": given.order_id, "reason": "Wrong stop."}),
    )
    assert [status_and_code(each) for each in both] == [(200, None), (200, None)]
    assert await list_pieces(app) == []
    assert len(await list_pieces(app, resolved=True)) == 2
