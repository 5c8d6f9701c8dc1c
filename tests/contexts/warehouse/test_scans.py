"""Scans: one call each, once, in any order, including misplaced items."""

import random
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contexts.orders.examples import ADDRESS
from tests.contexts.warehouse.makers import inventory, make_product, make_warehouse, receive, some_locations
from tests.support.app import App

from haulier.contexts.warehouse.scans.jobs import check_missed_arrivals

costly = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
GTIN, SSCC = "09506000134352", "106141412345678908"


async def make_hall(app: App) -> int:
    """Create a warehouse with a dock, shelves, mugs, serum lots and serial phones."""
    hall = await make_warehouse(app)
    await some_locations(app, hall, "DOCK", "A-01", "A-02")
    await make_product(app, barcodes=["4006381333931"])
    await make_product(app, "SERUM", tracking="lot", expires=True, barcodes=[GTIN])
    await make_product(app, "PHONE", tracking="serial")
    return hall


def at(app: App, minutes: int = 0) -> str:
    return (app.clock.now - timedelta(minutes=60 - minutes)).isoformat()


async def scan(app: App, hall: int, kind: str, code: str, id: str | None = None, **words: Any) -> Any:
    id = id or f"{kind}-{code[:30]}-{len(words)}-{random.random()}".replace("\x1d", "|")
    asked = {"device_id": "gun-1", "scan_id": id, "kind": kind, "code": code, "warehouse_id": hall}
    return (await app.answer("admin", "record_scan", {"occurred_at": at(app), **asked, **words})).scan


async def levels(app: App) -> dict[tuple[str, int, str | None], int]:
    rows = (await app.answer("admin", "list_stock_levels", {"per_page": 200})).levels
    return {(row.sku, row.location_id, row.lot or row.serial): row.on_hand for row in rows if row.on_hand}


async def test_items_are_received_put_away_and_picked_with_one_scan_each(app: App) -> None:
    hall = await make_hall(app)
    came = await scan(app, hall, "receive", "4006381333931", location="YYZ-DOCK", quantity=6)
    assert (came.outcome, came.sku, came.quantity, came.repeated) == ("done", "MUG", 6, False)
    await scan(app, hall, "put_away", "MUG", location="YYZ-DOCK", to_location="YYZ-A-01", quantity=6)
    await scan(app, hall, "pick", "MUG", location="YYZ-A-01", quantity=2, reference="A-1")
    assert await inventory(app, skus=["MUG"]) == {"MUG": (4, 0, 4)}
    (movement, *_) = (await app.answer("admin", "list_stock_movements")).movements
    assert (movement.kind, movement.reference, movement.user_id) == ("pick", "A-1", app.ids["admin"])
    assert movement.occurred_at == app.clock.now - timedelta(hours=1)


async def test_scanned_picks_consume_reservations_and_stay_reserved_at_their_new_location(app: App) -> None:
    hall = await make_hall(app)
    (bench,) = await some_locations(app, hall, "PACK", kind="packing")
    for shelf in ("YYZ-A-01", "YYZ-A-02"):
        await scan(app, hall, "receive", "MUG", location=shelf, quantity=5)
    wanted = {"warehouse_id": hall, "reference": "A-1", "lines": [{"sku": "MUG", "quantity": 7}]}
    await app.answer("admin", "reserve_stock", wanted)
    wave = await app.answer(
        "admin", "create_pick_wave", {"warehouse_id": hall, "references": ["A-1"], "staging_location_id": bench}
    )
    staged: dict[str, Any] = {"to_location": "YYZ-PACK", "reference": "A-1"}
    await scan(app, hall, "pick", "MUG", location="YYZ-A-01", quantity=4, **staged)
    assert await inventory(app, skus=["MUG"]) == {"MUG": (10, 7, 3)}
    # Two more from a shelf that was to give two: one of them takes the place of the piece that is left on the other shelf.
    await scan(app, hall, "pick", "MUG", location="YYZ-A-02", quantity=3, **staged)
    left = (await app.answer("admin", "get_pick_wave", {"wave_id": wave.wave.id})).wave
    assert (left.open, left.pieces, left.picked) == (False, 7, 6)
    held = (await app.answer("admin", "get_stock_reservation", {"warehouse_id": hall, "reference": "A-1"})).reserved
    assert [(one.location_id, one.quantity) for one in held] == [(bench, 7)]
    await app.answer("admin", "ship_stock", {"warehouse_id": hall, "reference": "A-1"})
    assert await inventory(app, skus=["MUG"]) == {"MUG": (3, 0, 3)}
    await app.answer("admin", "reserve_stock", {**wanted, "lines": [{"sku": "MUG", "quantity": 2}]})
    await scan(app, hall, "pick", "MUG", location="YYZ-A-02", quantity=2, reference="A-1")
    assert await inventory(app, skus=["MUG"]) == {"MUG": (1, 0, 1)}


async def test_a_scanned_count_is_a_line_pending_approval(app: App) -> None:
    hall = await make_hall(app)
    for shelf in ("YYZ-A-01", "YYZ-A-02"):
        await scan(app, hall, "receive", "MUG", location=shelf, quantity=5)
    shelves = (await app.answer("admin", "list_locations", {"warehouse_id": hall})).locations
    first = next(one.id for one in shelves if one.code == "A-01")
    asked = {"warehouse_id": hall, "location_ids": [first]}
    count = (await app.answer("admin", "create_stock_count", asked)).count.id
    moment = at(app, 30)
    await scan(app, hall, "count", "MUG", location="YYZ-A-01", quantity=3, occurred_at=moment)
    await scan(app, hall, "count", "MUG", location="YYZ-A-01", quantity=9, occurred_at=at(app, 20))
    await scan(app, hall, "count", "MUG", location="YYZ-A-02", nothing=True, occurred_at=moment)
    assert await inventory(app, skus=["MUG"]) == {"MUG": (10, 0, 10)}
    counts = {one.id: one for one in (await app.answer("admin", "list_stock_counts")).counts}
    assert {id: (one.state, one.locations, one.counted) for id, one in counts.items()} == {
        count: ("open", 1, 1),
        count + 1: ("open", 1, 1),
    }
    await app.answer("admin", "finish_stock_count", {"count_id": count})
    # Late scans from before the count may or may not be in its books: the count decides.
    await scan(app, hall, "receive", "MUG", location="YYZ-A-01", quantity=2, occurred_at=at(app, 29))
    await scan(app, hall, "pick", "MUG", location="YYZ-A-01", quantity=1, occurred_at=at(app, 31))
    await app.answer("admin", "approve_stock_count", {"count_id": count})
    await app.answer("admin", "finish_stock_count", {"count_id": count + 1})
    await scan(app, hall, "count", "MUG", location="YYZ-A-02", quantity=1, occurred_at=at(app, 40))
    assert (await app.call("admin", "approve_stock_count", {"count_id": count + 1})).status == 409
    await app.answer("admin", "finish_stock_count", {"count_id": count + 1})
    await app.answer("admin", "approve_stock_count", {"count_id": count + 1})
    assert {key[1]: pieces for key, pieces in (await levels(app)).items()} == {first: 2, first + 1: 1}


async def test_a_repeated_scan_is_not_executed_again(app: App) -> None:
    hall = await make_hall(app)
    words: dict[str, Any] = {"id": "s-1", "location": "YYZ-DOCK", "quantity": 6}
    first = await scan(app, hall, "receive", "MUG", **words)
    again = await scan(app, hall, "receive", "MUG", **words)
    assert (first.repeated, again.repeated, again.quantity) == (False, True, 6)
    assert await inventory(app, skus=["MUG"]) == {"MUG": (6, 0, 6)}


async def test_a_gs1_barcode_provides_product_lot_date_and_quantity(app: App) -> None:
    hall = await make_hall(app)
    came = await scan(app, hall, "receive", f"]C101{GTIN}1727013110L-7\x1d3724", location="YYZ-DOCK")
    assert (came.sku, came.lot, came.quantity, str(came.expires_on)) == ("SERUM", "L-7", 24, "2027-01-31")
    (level,) = (await app.answer("admin", "list_stock_levels", {"sku": "SERUM"})).levels
    assert (level.on_hand, level.lot, str(level.expires_on)) == (24, "L-7", "2027-01-31")
    unit = await scan(app, hall, "receive", f"(00){SSCC}")
    assert (unit.outcome, unit.package_number) == ("done", SSCC)


async def test_a_scan_without_effect_gives_the_reason(app: App) -> None:
    hall = await make_hall(app)
    other = await make_warehouse(app, "YUL")
    await some_locations(app, other, "B-01")
    box = {"warehouse_id": hall, "day": "2026-06-10", "numbers": ["BOX-1"]}
    await app.answer("admin", "expect_arrivals", box)
    refused: list[tuple[str, str, dict[str, Any], str]] = [
        ("receive", "NOBODY", {"location": "YYZ-DOCK"}, "unknown_code"),
        ("receive", "MUG", {}, "location_needed"),
        ("move", "MUG", {"location": "YYZ-DOCK"}, "location_needed"),
        ("receive", "MUG", {"location": "YYZ-X"}, "unknown_location"),
        ("receive", "SERUM", {"location": "YYZ-DOCK"}, "pieces_not_told_apart"),
        ("receive", "PHONE", {"location": "YYZ-DOCK", "serial": "S", "quantity": 2}, "pieces_not_told_apart"),
        ("load", "MUG", {"route_id": 1}, "package_needed"),
        ("load", "BOX-1", {}, "route_needed"),
        ("pick", "BOX-1", {"location": "YYZ-DOCK"}, "product_needed"),
    ]
    for kind, code, words, told in refused:
        answer = await scan(app, hall, kind, code, **words)
        assert (answer.outcome, answer.refusal) == ("refused", told), code
        assert answer.message
    elsewhere = await scan(app, hall, "receive", "MUG", location="YUL-B-01")
    assert (elsewhere.outcome, elsewhere.belongs_to_warehouse_id) == ("wrong_warehouse", other)
    assert await levels(app) == {}
    counted = await scan(app, hall, "count", "MUG", location="YYZ-DOCK", nothing=True)
    assert (counted.outcome, counted.quantity) == ("done", 0)
    listed = await app.answer("admin", "list_scans", {"outcome": "wrong_warehouse"})
    assert [each.code for each in listed.scans] == ["MUG"]


async def test_a_package_scanned_in_the_wrong_warehouse_suggests_a_transfer(app: App) -> None:
    here, there = await make_warehouse(app), await make_warehouse(app, "YUL")
    expected = {"warehouse_id": there, "day": "2026-06-10", "numbers": ["BOX-1", "BOX-2", "BOX-3"]}
    assert (await app.answer("admin", "expect_arrivals", expected)).added == 3
    lead = await scan(app, here, "receive", "box-1")
    assert (lead.outcome, lead.belongs_to_warehouse_id, lead.transfer_id) == ("wrong_warehouse", there, None)
    begun = await scan(app, here, "receive", "BOX-1", start_transfer=True)
    named = await scan(app, here, "receive", "BOX-2")
    assert named.transfer_id == begun.transfer_id
    joined = await scan(app, here, "receive", "BOX-2", start_transfer=True)
    assert joined.transfer_id == begun.transfer_id
    batch = {"transfer_id": begun.transfer_id}
    await app.answer("admin", "dispatch_transfer", batch)
    elsewhere = await scan(app, here, "receive", "BOX-1")
    assert (elsewhere.outcome, elsewhere.refusal) == ("refused", "on_a_transfer")
    for number in ("BOX-1", "BOX-2"):
        came = await scan(app, there, "receive", number)
        assert (came.outcome, came.transfer_id) == ("done", begun.transfer_id)
    assert (await app.answer("admin", "get_transfer", batch)).transfer.status == "received"
    missing = (await app.answer("admin", "list_missing_arrivals", {"warehouse_id": there})).missing
    assert [each.number for each in missing] == ["BOX-3"]


async def test_packages_of_orders_are_scanned_in_and_out_and_checked_against_the_route(app: App) -> None:
    hall = await make_warehouse(app)
    orders = [(await app.answer("admin", "create_order", {"consignee": ADDRESS})).order for _ in range(2)]
    depot = await app.answer("admin", "create_depot", {"name": "D", "address": "x", "lat": 43.6, "lng": -79.4})
    routes = []
    for order in orders:
        day = {"day": "2026-06-10", "depot_id": depot.depot.id}
        routes.append((await app.answer("admin", "create_route", day)).route.id)
        added = {"route_id": routes[-1], "order_ids": [order.id]}
        await app.answer("admin", "add_orders_to_route", added)
    expected = {"warehouse_id": hall, "day": "2026-06-10", "route_id": routes[0]}
    assert (await app.answer("admin", "expect_arrivals", expected)).added == 1
    (missing,) = (await app.answer("admin", "list_missing_arrivals", {"route_id": routes[0]})).missing
    assert (missing.order_id, missing.seen_in_warehouse_id) == (orders[0].id, None)
    number = orders[0].tracking_number
    await scan(app, hall, "receive", number.lower(), occurred_at=at(app, 1))
    assert (await app.answer("admin", "list_missing_arrivals", {"route_id": routes[0]})).total == 0
    wrong = await scan(app, hall, "load", number, route_id=routes[1], occurred_at=at(app, 2))
    assert (wrong.outcome, wrong.belongs_on_route_id) == ("wrong_route", routes[0])
    loaded = await scan(app, hall, "load", number, route_id=routes[0], occurred_at=at(app, 3))
    assert loaded.outcome == "done"
    assert (await app.answer("admin", "get_load_check", {"route_id": routes[0]})).load.complete
    timeline = (await app.answer("admin", "otep_timeline", {"tracking_number": number})).data
    told = [(event.status_code, event.phase) for event in timeline.events if event.location]
    assert told[-2:] == [("arrival_scan", "inbound"), ("package_outbound", "transit")]
    assert (await app.answer("admin", "get_package", {"number": number})).package.warehouse_id is None


async def test_expected_packages_that_do_not_arrive_are_reported_once_as_order_exceptions(app: App) -> None:
    hall = await make_warehouse(app)
    made = [(await app.answer("admin", "create_order", {"consignee": ADDRESS})).order for _ in range(2)]
    ids = [order.id for order in made]
    await app.answer("admin", "expect_arrivals", {"warehouse_id": hall, "day": "2026-06-10", "order_ids": ids})
    await scan(app, hall, "receive", made[0].tracking_number)
    for hours in (1, 24, 1):
        app.clock.forward(hours=hours)
        await check_missed_arrivals.handler(app.application)
        await app.work_off()
    told = []
    for order in made:
        asked = {"tracking_number": order.tracking_number}
        timeline = (await app.answer("admin", "otep_timeline", asked)).data
        told.append([(event.status_code, event.phase) for event in timeline.events if event.location])
    assert told == [[("arrival_scan", "inbound")], [("delayed", "transit")]]


async def test_cancelled_arrivals_are_no_longer_expected_and_recorded_ones_stay(app: App) -> None:
    hall = await make_hall(app)
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order
    day = {"warehouse_id": hall, "day": "2026-06-10"}
    expected = {**day, "numbers": ["BOX-1", "BOX-2"], "order_ids": [order.id]}
    assert (await app.answer("admin", "expect_arrivals", expected)).added == 3
    await scan(app, hall, "receive", "BOX-1")
    assert (await app.answer("employee", "cancel_arrivals", {**day, "order_ids": [order.id]})).cancelled == 1
    missing = (await app.answer("admin", "list_missing_arrivals", {"warehouse_id": hall})).missing
    assert [one.number for one in missing] == ["BOX-2"]
    named = {**day, "numbers": ["box-1", "box-2"]}
    assert [(await app.answer("admin", "cancel_arrivals", named)).cancelled for _ in range(2)] == [1, 0]
    assert (await app.answer("admin", "list_missing_arrivals", {"warehouse_id": hall})).total == 0
    assert (await app.call("admin", "cancel_arrivals", day)).status == 422
    assert (await app.call("rival", "cancel_arrivals", named)).status == 404


async def test_a_late_past_scan_does_not_move_a_package_back(app: App) -> None:
    here, there = await make_warehouse(app), await make_warehouse(app, "YUL")
    boxes = {"warehouse_id": there, "day": "2026-06-10", "numbers": ["BOX-1"]}
    await app.answer("admin", "expect_arrivals", boxes)
    await scan(app, there, "receive", "BOX-1", occurred_at=at(app, 30))
    await scan(app, here, "receive", "BOX-1", occurred_at=at(app, 10))
    answer = await app.answer("admin", "get_package", {"number": "BOX-1"})
    assert answer.package.warehouse_id == there
    assert len(answer.moves) == 2


async def test_a_queue_is_answered_scan_by_scan_and_an_invalid_one_stops_none(app: App) -> None:
    hall = await make_hall(app)
    good = {"kind": "receive", "code": "MUG", "warehouse_id": hall, "location": "YYZ-DOCK", "occurred_at": at(app)}
    rows = [{**good, "scan_id": "1"}, {**good, "scan_id": "2", "kind": "throw"}, {**good, "scan_id": "1"}]
    sent = (app.clock.now + timedelta(seconds=90)).isoformat()
    answer = await app.answer("admin", "sync_scans", {"device_id": "gun-1", "scans": rows, "sent_at": sent})
    assert [(each.scan_id, each.outcome, each.repeated) for each in answer.scans] == [
        ("1", "done", False),
        ("2", "refused", False),
        ("1", "done", True),
    ]
    assert (answer.done, answer.refused, answer.repeated, answer.clock_ahead_s) == (2, 1, 1, 90)
    assert await levels(app) == {("MUG", (await make_place(app, hall)), None): 1}


@pytest.mark.parametrize("hours", [2, -2])
async def test_the_time_of_a_scan_is_corrected_by_the_clock_offset(app: App, hours: int) -> None:
    hall = await make_hall(app)
    offset, scanned = timedelta(hours=hours), app.clock.now - timedelta(minutes=30)
    words = {"occurred_at": (scanned + offset).isoformat(), "sent_at": (app.clock.now + offset).isoformat()}
    found = await scan(app, hall, "receive", "MUG", location="YYZ-DOCK", **words)
    assert (found.occurred_at, found.device_at, found.clock_corrected) == (scanned, scanned + offset, True)


async def make_place(app: App, hall: int) -> int:
    return (await app.answer("admin", "list_locations", {"warehouse_id": hall})).locations[0].id


async def test_a_picture_of_damage_is_stored_once(app: App) -> None:
    hall = await make_hall(app)
    content = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    photo = {"content": content, "media_type": "image/png"}
    words: dict[str, Any] = {"id": "s-1", "note": "crushed", "photo": photo}
    told = await scan(app, hall, "exception", "MUG", **words)
    assert (await scan(app, hall, "exception", "MUG", **words)).file_id == told.file_id
    file = await app.answer("admin", "get_file", {"file_id": told.file_id})
    assert file


_SHELVES = st.sampled_from(["-DOCK", "-A-01", "-A-02"])
_A_SCAN = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["receive", "put_away", "move", "pick", "count"]),
        "code": st.sampled_from(["MUG", f"(01){GTIN}(10)L2(30)3", "NOBODY"]),
        "location": _SHELVES,
        "to_location": _SHELVES,
        "quantity": st.integers(1, 5),
        "reference": st.sampled_from(["A-1", None]),
    }
)


@costly
@given(data=st.data())
async def test_replaying_a_queue_in_any_order_and_parts_gives_the_same_stock(app: App, data: st.DataObject) -> None:
    if not (await app.answer("admin", "list_products")).products:
        await make_hall(app)
    tag = f"H{(await app.answer('admin', 'get_warehouses')).total}"
    drawn = data.draw(st.lists(_A_SCAN, min_size=1, max_size=12), label="scans")
    books = []
    for side in "ab":
        hall = await make_warehouse(app, f"{tag}{side}")
        shelves = await some_locations(app, hall, "DOCK", "A-01", "A-02")
        for shelf in shelves[1:]:
            await receive(app, shelf, 4)
        wanted = {"warehouse_id": hall, "reference": "A-1", "lines": [{"sku": "MUG", "quantity": 6}]}
        await app.answer("admin", "reserve_stock", wanted)
        sent = [_placed(app, each, hall, f"{tag}{side}", n) for n, each in enumerate(drawn)]
        if side == "b":
            sent = data.draw(st.permutations([*sent, *data.draw(st.lists(st.sampled_from(sent), max_size=6))]))
        while sent:
            size = data.draw(st.integers(1, len(sent))) if side == "b" else len(sent)
            part, sent = sent[:size], sent[size:]
            await app.answer("admin", "sync_scans", {"device_id": f"{tag}{side}", "scans": part})
        rows = (await app.answer("admin", "list_stock_levels", {"warehouse_id": hall})).levels
        books.append(
            (
                {(row.sku, shelves.index(row.location_id), row.lot, row.on_hand) for row in rows if row.on_hand},
                sum(row.reserved for row in rows),
                await _counted(app, hall, shelves),
            )
        )
    assert books[0] == books[1]


async def _counted(app: App, hall: int, shelves: list[int]) -> set[tuple[Any, ...]]:
    """Return the counted quantities of a warehouse, and the books at that time."""
    found = set[tuple[Any, ...]]()
    for count in (await app.answer("admin", "list_stock_counts", {"warehouse_id": hall})).counts:
        await app.answer("admin", "finish_stock_count", {"count_id": count.id})
        lines = (await app.answer("admin", "get_stock_count", {"count_id": count.id})).lines
        found |= {(line.sku, shelves.index(line.location_id), line.lot, line.expected, line.counted) for line in lines}
    return found


def _placed(app: App, drawn: dict[str, Any], hall: int, code: str, n: int) -> dict[str, Any]:
    places = {name: f"{code}{drawn[name]}" for name in ("location", "to_location")}
    return {**drawn, **places, "scan_id": f"{n}", "warehouse_id": hall, "occurred_at": at(app, n)}


async def test_statement_count_does_not_grow_with_scans(app: App) -> None:
    hall = await make_hall(app)
    boxes = [f"BOX-{n}" for n in range(60)]
    await app.answer("admin", "expect_arrivals", {"warehouse_id": hall, "day": "2026-06-10", "numbers": boxes})
    counted = []
    for start, count in ((0, 2), (2, 40)):
        rows = [
            {
                "scan_id": f"{kind}-{n}",
                "kind": "receive",
                "code": code,
                "warehouse_id": hall,
                "occurred_at": at(app),
                **where,
            }
            for n in range(start, start + count)
            for kind, code, where in (("p", "MUG", {"location": "YYZ-DOCK"}), ("b", f"BOX-{n}", {}))
        ]
        before = app.statements
        await app.answer("admin", "sync_scans", {"device_id": "gun-1", "scans": rows})
        counted.append(app.statements - before)
    assert counted[0] == counted[1]
