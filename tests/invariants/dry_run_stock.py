"""Steps of the dry-run day about warehouses and stock."""

from collections.abc import Iterator
from typing import Any

from tests.contexts.warehouse.examples import CARTON, FILLING, LOAD_SPACE
from tests.invariants.dry_run_steps import PHOTO, THERE, Known, Step, step


def stock_steps() -> Iterator[Step]:
    """Yield steps of warehouse work."""
    yield step("admin", "create_warehouse", {"hall": "warehouse.id"}, code="HALL", name="Hall")
    yield step("admin", "update_warehouse", warehouse_id="$hall", name="Hall 2")
    codes = [{"code": "DOCK"}, {"code": "A-01"}]
    yield step("admin", "create_locations", {"places": "locations"}, warehouse_id="$hall", locations=codes)
    yield Step("admin", "update_location", lambda known: {"location_id": _place(known, 1), "walk_order": 3})
    yield step("admin", "create_product", {"mug": "product.id"}, sku="MUG", name="Mug", barcodes=["MUG-1"])
    yield step("admin", "update_product", product_id="$mug", name="Blue mug", barcodes=["MUG-2"])
    table: dict[str, Any] = {"format": "csv", "content": "sku,name\nBOWL,Bowl\n"}
    yield step("admin", "import_products", {"table": "stock_import.id"}, **table)
    yield step("admin", "cancel_stock_import", stock_import_id="$table")
    yield step("admin", "import_stock", format="csv", content="sku,location,quantity\nMUG,HALL-DOCK,0\n", mode="set")
    pieces = {"sku": "MUG", "quantity": 6}
    yield Step(
        "admin",
        "receive_stock",
        lambda known: {"lines": [{**pieces, "location_id": _place(known, 0)}], "reference": "DN-1"},
    )
    yield Step("admin", "move_stock", lambda known: {"lines": [{**pieces, **_way(known)}]})
    lost = {"sku": "MUG", "change": -1, "reason": "damaged"}
    yield Step("admin", "adjust_stock", lambda known: {"location_id": _place(known, 1), **lost})
    wanted: dict[str, Any] = {"warehouse_id": "$hall", "lines": [{**pieces, "quantity": 2}]}
    yield step("admin", "reserve_stock", reference="A-1", **wanted)
    yield step("admin", "release_stock_reservation", warehouse_id="$hall", reference="A-1")
    yield from _lot_steps()
    yield from _shortage_steps(wanted, pieces)
    yield step("admin", "reserve_stock", reference="A-2", **wanted)
    yield from _transfer_steps()
    yield from _packing_steps()
    boxes: dict[str, Any] = {"warehouse_id": "$hall", "day": "2026-06-10", "numbers": ["BOX-7", "BOX-8"]}
    yield step("admin", "expect_arrivals", **boxes)
    seen: dict[str, Any] = {
        "kind": "receive",
        "code": "BOX-7",
        "warehouse_id": "$hall",
        "occurred_at": "2026-06-10T08:00:00Z",
    }
    yield step("admin", "record_scan", device_id="scanner-1", scan_id="day-1", **seen)
    yield step("admin", "expect_arrivals", **boxes | {"numbers": ["BOX-9"]})
    yield step("admin", "cancel_arrivals", **boxes | {"numbers": ["BOX-9"]})
    yield Step(
        "admin",
        "sync_scans",
        lambda known: {
            "device_id": "scanner-1",
            "scans": [{**seen, "scan_id": "day-2", "code": "BOX-8", "warehouse_id": known["hall"]}],
        },
    )


def _transfer_steps() -> Iterator[Step]:
    """Yield steps that transfer packages to another warehouse and back."""
    yield step("admin", "create_warehouse", {"other_hall": "warehouse.id"}, code="HALL-2", name="Other hall")
    way: dict[str, Any] = {"from_warehouse_id": "$hall", "to_warehouse_id": "$other_hall"}
    yield step("admin", "create_transfer", {"given_up": "transfer.id"}, **way, numbers=["BOX-1", "BOX-2"])
    yield step("admin", "cancel_transfer", transfer_id="$given_up")
    yield step("admin", "create_transfer", {"batch": "transfer.id"}, **way)
    batch: dict[str, Any] = {"transfer_id": "$batch"}
    yield step("admin", "scan_transfer_out", **batch, numbers=["BOX-1", "BOX-2", "BOX-3"])
    yield step("admin", "remove_transfer_packages", **batch, numbers=["BOX-3"])
    yield step("admin", "dispatch_transfer", **batch)
    yield step("admin", "scan_transfer_in", **batch, numbers=["BOX-1"])
    yield step("admin", "report_transfer_discrepancy", **batch, kind="missing", numbers=["BOX-2"])
    yield step("admin", "complete_transfer", **batch)
    yield step("admin", "roll_back_transfer", **batch, reason="wrong hall")
    yield from _receiving()
    yield from _counts()
    yield from _picking()
    yield from _loading()


def _receiving() -> Iterator[Step]:
    announced = [{"sku": "MUG", "quantity": 4}]
    yield step(
        "admin", "create_stock_advice", {"advice": "advice.id"}, warehouse_id="$hall", reference="PO-1", lines=announced
    )
    came = {"sku": "MUG", "quantity": 5}
    yield Step(
        "admin",
        "receive_stock_advice",
        lambda known: {
            "advice_id": known["advice"],
            "accept_over": True,
            "lines": [{**came, "location_id": _place(known, 0)}],
        },
    )
    yield step("admin", "add_stock_advice_photo", advice_id="$advice", photo=PHOTO)
    yield Step(
        "admin",
        "put_stock_away",
        lambda known: {"warehouse_id": known["hall"], "lines": [{**came, "from_location_id": _place(known, 0)}]},
    )
    yield step("admin", "close_stock_advice", advice_id="$advice")


def _lot_steps() -> Iterator[Step]:
    salve = {"name": "Balm", "tracking": "lot", "expires": True}
    yield step("admin", "create_product", {"salve": "product.id"}, sku="BALM", **salve)
    dated = {"sku": "BALM", "quantity": 1, "lot": "L-1", "expires_on": "2027-12-31"}
    yield Step("admin", "receive_stock", lambda known: {"lines": [{**dated, "location_id": _place(known, 0)}]})
    corrected = {"lot": "L-1", "expires_on": "2027-06-30", "reason": "Misread"}
    yield step("admin", "correct_stock_lot", product_id="$salve", **corrected)
    lost = {"sku": "BALM", "lot": "L-1", "change": -1, "reason": "lost"}
    yield Step("admin", "adjust_stock", lambda known: {"location_id": _place(known, 0), **lost})


def _shortage_steps(wanted: dict[str, Any], pieces: dict[str, Any]) -> Iterator[Step]:
    yield step("admin", "reserve_stock", reference="A-0", **wanted)
    most = {"sku": "MUG", "change": -4, "reason": "lost"}
    yield Step(
        "admin",
        "adjust_stock",
        lambda known: {"location_id": _place(known, 1), **most},
        {"released": "released"},
    )
    yield Step(
        "admin",
        "update_stock_shortage",
        lambda known: {"shortage_id": known["released"][0]["shortage_id"], "resolved": True},
    )
    yield Step(
        "admin",
        "receive_stock",
        lambda known: {"lines": [{**pieces, "location_id": _place(known, 1)}]},
    )


def _place(known: Known, at: int) -> int:
    return known["places"][at]["id"]


def _way(known: Known) -> dict[str, int]:
    return {"from_location_id": _place(known, 0), "to_location_id": _place(known, 1)}


def _counts() -> Iterator[Step]:
    yield step("admin", "create_stock_count", {"count": "count.id"}, warehouse_id="$hall", note="Week 24")
    found = {"sku": "MUG", "quantity": 1}
    yield Step(
        "admin",
        "record_stock_count",
        lambda known: {"count_id": known["count"], "lines": [{**found, "location_id": _place(known, 0)}]},
    )
    found = {"sku": "MUG", "quantity": 99}
    yield Step(
        "admin",
        "record_stock_count",
        lambda known: {"count_id": known["count"], "lines": [{**found, "location_id": _place(known, 1)}]},
    )
    yield step("admin", "finish_stock_count", count_id="$count")
    yield step("admin", "recount_stock", count_id="$count", all=True)
    yield Step(
        "admin",
        "record_stock_count",
        lambda known: {"count_id": known["count"], "lines": [{**found, "location_id": _place(known, 1)}]},
    )
    yield step("admin", "finish_stock_count", count_id="$count", rest_is_gone=True)
    yield step("admin", "approve_stock_count", count_id="$count")
    yield step("admin", "create_stock_count", {"count": "count.id"}, warehouse_id="$hall")
    yield step("admin", "reject_stock_count", count_id="$count")


def _picking() -> Iterator[Step]:
    bench = [{"code": "PACK-1", "kind": "packing"}]
    yield step("admin", "create_locations", {"benches": "locations"}, warehouse_id="$hall", locations=bench)
    yield Step(
        "admin",
        "create_pick_wave",
        lambda known: {
            "warehouse_id": known["hall"],
            "references": ["A-2"],
            "staging_location_id": known["benches"][0]["id"],
        },
        {"wave": "wave.id", "picks": "tasks"},
    )
    yield step("admin", "cancel_pick_wave", wave_id="$wave")
    yield Step(
        "admin",
        "create_pick_wave",
        lambda known: {
            "warehouse_id": known["hall"],
            "references": ["A-2"],
            "staging_location_id": known["benches"][0]["id"],
        },
        {"wave": "wave.id", "picks": "tasks"},
    )
    yield Step(
        "admin",
        "confirm_picks",
        lambda known: {
            "wave_id": known["wave"],
            "lines": [{"task_id": known["picks"][0]["id"], "quantity": 1, "short": True}],
        },
    )
    packed: dict[str, Any] = {"warehouse_id": "$hall", "reference": "A-2", "lines": [{"sku": "MUG", "quantity": 1}]}
    yield step("admin", "pack_stock", {"parcel": "package.id"}, weight_g=300, **packed)
    yield step("admin", "unpack_stock", pick_package_id="$parcel")
    yield step("admin", "pack_stock", weight_g=300, **packed)
    yield step("admin", "ship_stock", warehouse_id="$hall", reference="A-2", unpicked=True)


def _loading() -> Iterator[Step]:
    found = {"load_order": "order.id", "load_number": "order.tracking_number"}
    yield step("admin", "create_order", found, consignee=THERE)
    yield step("admin", "create_route", {"load_route": "route.id"}, day="2026-06-11", depot_id="$depot", name="Load")
    yield step("admin", "add_orders_to_route", route_id="$load_route", order_ids=["$load_order"])
    for taken_off in (False, True, False):
        yield step("admin", "scan_load", route_id="$load_route", barcodes=["$load_number"], take_off=taken_off)


def _packing_steps() -> Iterator[Step]:
    """Yield steps about boxes and cargo spaces."""
    yield step("admin", "create_carton", {"box": "carton.id"}, code="M1", **CARTON)
    yield step("admin", "update_carton", carton_id="$box", **CARTON)
    teapot = {"id": "teapot", "length_mm": 240, "width_mm": 160, "height_mm": 120}
    yield step("admin", "start_packing_search", {"search": "search.id"}, pieces=[teapot], steps=10)
    yield step("admin", "cancel_plan_search", plan_search_id="$search")
    sized = [{"length_mm": 90, "width_mm": 80, "height_mm": 70, "weight_g": 500}]
    yield step("admin", "create_order", consignee=THERE, packages=sized)
    yield step("admin", "start_carton_advice", from_day="2026-01-01", to_day="2026-12-31", steps=10)
    yield step("admin", "delete_carton", carton_id="$box")
    yield step("admin", "create_filling", {"air": "filling.id"}, code="AIR", by_default=True, **FILLING)
    yield step("admin", "update_filling", filling_id="$air", **FILLING)
    yield step("admin", "delete_filling", filling_id="$air")
    yield step("admin", "create_load_space", {"van": "load_space.id"}, code="V1", **LOAD_SPACE)
    yield step("admin", "update_load_space", load_space_id="$van", **LOAD_SPACE)
    yield step("admin", "start_load_search", pieces=[teapot], steps=10)
    yield step("admin", "delete_load_space", load_space_id="$van")
