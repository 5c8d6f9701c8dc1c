"""Package counts at loading, at the stop, and in partial deliveries."""

from typing import Any

from tests.contexts.driver_app.makers import device_event, event_statuses, make_policy, make_upload, sync_events
from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route, make_started_route, status_and_code

THREE = [{"weight_g": 100}, {"weight_g": 200}, {"weight_g": 300}]


async def make_waiting_route(app: App, *packages: list[dict[str, Any]]) -> Any:
    """Create a route that has not started, with orders of several packages each."""
    ids = [await make_order(app, packages=pieces) for pieces in packages]
    route_id = await make_route(app, order_ids=ids, driver_id=await make_driver(app, user="driver"))
    return (await app.answer("admin", "get_route_detail", {"route_id": route_id})).route


async def scan(app: App, route: Any, code: str, **words: Any) -> Any:
    return await app.answer("driver", "scan_on_route", {"route_id": route.id, "code": code, **words})


async def pieces_of(app: App, order_id: int) -> list[Any]:
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order.packages


def at(route: Any, *pieces: dict[str, Any], **words: Any) -> dict[str, Any]:
    return {"route_id": route.id, "stop_id": route.stops[0].id, "pieces": list(pieces), **words}


async def test_each_package_is_scanned_individually(app: App) -> None:
    route = await make_waiting_route(app, THREE)
    number = route.stops[0].tracking_number
    told = [await scan(app, route, code) for code in (f"{number}-2", f"{number}-2", number, f"{number}-3".lower())]
    assert [each.scan.value for each in told] == ["matched", "already_scanned", "matched", "matched"]
    assert [(each.pieces_scanned, each.pieces_total) for each in told] == [(1, 3), (1, 3), (2, 3), (3, 3)]
    shown = (await app.answer("driver", "get_rider_route", {"route_id": route.id})).route
    assert {each.package_id for each in shown.scanned} == {piece.id for piece in shown.route.stops[0].handover.pieces}


async def test_an_order_reference_identifies_several_packages_but_counts_none(app: App) -> None:
    order_id = await make_order(app, packages=THREE, order_ref="R-1")
    route_id = await make_route(app, order_ids=[order_id], driver_id=await make_driver(app, user="driver"))
    told = await app.answer("driver", "scan_on_route", {"route_id": route_id, "code": "R-1"})
    assert (told.scan.value, told.package_id, told.pieces_scanned, told.pieces_total) == ("matched", None, 0, 3)


async def test_a_shortage_is_reported_at_the_start_if_the_client_counts_packages(app: App) -> None:
    route = await make_waiting_route(app, THREE, [{}])
    await make_policy(app, loading_check="warn")
    first, second = (stop.tracking_number for stop in route.stops)
    await scan(app, route, f"{first}-2")
    started = await app.answer("driver", "start_route", {"route_id": route.id})
    assert [(each.expected, each.loaded, each.missing) for each in started.shortages] == [
        (3, 1, [first, f"{first}-3"]),
        (1, 0, [second]),
    ]


async def test_no_shortage_is_reported_without_counting(app: App) -> None:
    route = await make_waiting_route(app, THREE)
    assert (await app.answer("driver", "start_route", {"route_id": route.id})).shortages == []


async def test_a_route_can_require_a_complete_scan_before_it_starts(app: App) -> None:
    route = await make_waiting_route(app, THREE)
    await make_policy(app, loading_check="block")
    number = route.stops[0].tracking_number
    for code in (number, f"{number}-2"):
        await scan(app, route, code)
    held = await app.call("driver", "start_route", {"route_id": route.id})
    assert status_and_code(held) == (409, "PIECES_MISSING")
    await scan(app, route, f"{number}-3")
    assert (await app.answer("driver", "start_route", {"route_id": route.id})).shortages == []


async def test_an_offline_start_is_kept_and_the_office_sees_the_loaded_packages(app: App) -> None:
    route = await make_waiting_route(app, THREE)
    await make_policy(app, loading_check="block")
    number = route.stops[0].tracking_number
    scanned = device_event("scan", "scan", "13:00", route.id, code=number)
    answer = await sync_events(app, scanned, device_event("start", "start", "13:05", route.id))
    assert event_statuses(answer) == {"scan": "applied", "start": "applied"}
    counted = await app.answer("admin", "get_route_pieces", {"route_id": route.id})
    assert (counted.expected, counted.loaded) == (3, 1)
    assert [piece.loaded_at is not None for piece in counted.pieces] == [True, False, False]


async def test_some_packages_can_be_delivered_and_others_returned(app: App) -> None:
    order_id = await make_order(app, packages=THREE)
    route = await make_started_route(app, [order_id])
    number = route.stops[0].tracking_number
    await make_upload(app, route.stops[0].id)
    broken = {"barcode": f"{number}-2", "outcome": "damaged", "photos": ["photo-0001"], "note": "Wet."}
    gone = {"barcode": f"{number}-3", "outcome": "missing"}
    stop = (await app.answer("driver", "rider_deliver", at(route, broken, gone))).stop
    assert [(piece.barcode, piece.outcome, piece.note, len(piece.photo_urls)) for piece in stop.proof.left] == [
        (f"{number}-2", "damaged", "Wet.", 1),
        (f"{number}-3", "missing", None, 0),
    ]
    assert [piece.outcome for piece in await pieces_of(app, order_id)] == ["delivered", "damaged", "missing"]
    await app.answer("driver", "finish_route", {"route_id": route.id})
    await app.work_off()
    assert [piece.outcome for piece in await pieces_of(app, order_id)] == ["delivered", "returned", "missing"]


async def test_the_timeline_of_each_package_shows_its_outcome(app: App) -> None:
    route = await make_started_route(app, [await make_order(app, packages=THREE)])
    number = route.stops[0].tracking_number
    refused = {"barcode": f"{number}-2", "outcome": "refused"}
    app.clock.forward(minutes=10)
    await app.answer("driver", "rider_deliver", at(route, refused))
    app.clock.forward(hours=1)
    await app.answer("driver", "finish_route", {"route_id": route.id})
    await app.work_off()

    async def last_events(of: str, count: int) -> list[Any]:
        told = await app.answer("admin", "otep_client_tracking", {"tracking_number": of})
        return list(told.trackings[0].data.events)[-count:]

    (own,) = await last_events(number, 1)
    assert own.status_code == "delivered"
    assert own.extensions["pieces"] == {
        "handed_over": 2,
        "of": 3,
        "left": [{"tracking_number": f"{number}-2", "outcome": "refused"}],
    }
    left = await last_events(f"{number}-2", 2)
    assert [event.status_code for event in left] == ["delivery_failed", "returned"]
    assert left[0].incident_reason.code == "refused"
    (taken,) = await last_events(f"{number}-3", 1)
    assert taken.status_code == "delivered"


async def test_missing_and_damaged_packages_are_lost_and_damaged_instead_of_failed_attempts(app: App) -> None:
    order_id = await make_order(app, packages=THREE)
    route = await make_started_route(app, [order_id])
    number = route.stops[0].tracking_number
    await make_upload(app, route.stops[0].id)
    broken = {"barcode": f"{number}-2", "outcome": "damaged", "photos": ["photo-0001"]}
    gone = {"barcode": f"{number}-3", "outcome": "missing"}
    app.clock.forward(minutes=10)
    await app.answer("driver", "rider_deliver", at(route, broken, gone))
    shown = [(await app.answer(None, "otep_timeline", {"tracking_number": f"{number}-{n}"})).data for n in (2, 3)]
    assert [timeline.current_status for timeline in shown] == ["damaged", "lost"]


async def test_missing_and_damaged_packages_are_exceptions_naming_order_and_package(app: App) -> None:
    order_id = await make_order(app, packages=THREE)
    route = await make_started_route(app, [order_id])
    number = route.stops[0].tracking_number
    await make_upload(app, route.stops[0].id)
    broken = {"barcode": f"{number}-2", "outcome": "damaged", "photos": ["photo-0001"]}
    gone = {"barcode": f"{number}-3", "outcome": "missing"}
    await app.answer("driver", "rider_deliver", at(route, broken, gone))
    exceptions = (await app.answer("admin", "dispatch_exceptions")).exceptions
    about_pieces = [(each.kind.value, each.order_id, each.piece) for each in exceptions if each.piece]
    assert about_pieces == [("piece_damaged", order_id, f"{number}-2"), ("piece_missing", order_id, f"{number}-3")]


async def test_packages_that_cannot_be_left_are_reported_by_field(app: App) -> None:
    route = await make_started_route(app, [await make_order(app, packages=THREE[:2])])
    number = route.stops[0].tracking_number
    first, second = ({"barcode": code, "outcome": "missing"} for code in (number, f"{number}-2"))
    for pieces, field in (
        ([{"barcode": "ELSE-1", "outcome": "missing"}], "pieces.0.barcode"),
        ([{**second, "outcome": "damaged"}], "pieces.0.photos"),
        ([first, first], "pieces"),
        ([first, second], "pieces"),
    ):
        refused = await app.call("driver", "rider_deliver", at(route, *pieces))
        assert status_and_code(refused) == (422, "PROOF_INCOMPLETE")
        assert [fault["field"] for fault in refused.error["errors"]] == [field]


async def test_a_partial_delivery_can_be_reported_offline(app: App) -> None:
    order_id = await make_order(app, packages=THREE[:2])
    route = await make_started_route(app, [order_id])
    number = route.stops[0].tracking_number
    report = at(route, {"barcode": f"{number}-2", "outcome": "refused"})
    event = device_event("a", "deliver", "13:30", report.pop("route_id"), **report)
    assert event_statuses(await sync_events(app, event)) == {"a": "applied"}
    assert [piece.outcome for piece in await pieces_of(app, order_id)] == ["delivered", "refused"]
