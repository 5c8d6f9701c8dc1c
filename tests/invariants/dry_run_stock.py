"""The part of the day in which people keep stock."""

from collections.abc import Iterator

from tests.invariants.dry_run_steps import Known, Step, step


def stock_steps() -> Iterator[Step]:
    """What people do in a warehouse."""
    yield step("admin", "create_warehouse", {"hall": "warehouse.id"}, code="HALL", name="Hall")
    yield step("admin", "update_warehouse", warehouse_id="$hall", name="Hall 2")
    codes = [{"code": "DOCK"}, {"code": "A-01"}]
    yield step("admin", "create_locations", {"places": "locations"}, warehouse_id="$hall", locations=codes)
    yield Step("admin", "update_location", lambda known: {"location_id": _place(known, 1), "walk_order": 3})
    yield step("admin", "create_product", {"mug": "product.id"}, sku="MUG", name="Mug", barcodes=["MUG-1"])
    yield step("admin", "update_product", product_id="$mug", name="Blue mug", barcodes=["MUG-2"])
    pieces = {"sku": "MUG", "quantity": 6}
    yield Step(
        "admin",
        "receive_stock",
        lambda known: {"lines": [{**pieces, "location_id": _place(known, 0)}], "reference": "DN-1"},
    )
    yield Step("admin", "move_stock", lambda known: {"lines": [{**pieces, **_way(known)}]})
    lost = {"sku": "MUG", "change": -1, "reason": "damaged"}
    yield Step("admin", "adjust_stock", lambda known: {"location_id": _place(known, 1), **lost})
    wanted = {"warehouse_id": "$hall", "lines": [{**pieces, "quantity": 2}]}
    yield step("admin", "reserve_stock", reference="A-1", **wanted)
    yield step("admin", "release_stock_reservation", warehouse_id="$hall", reference="A-1")
    yield step("admin", "reserve_stock", reference="A-2", **wanted)


def _place(known: Known, at: int) -> int:
    return known["places"][at]["id"]


def _way(known: Known) -> dict[str, int]:
    return {"from_location_id": _place(known, 0), "to_location_id": _place(known, 1)}
