"""Steps of the dry-run day about storage orders of customers."""

from collections.abc import Iterator

from tests.contexts.storage.examples import BOX, HOME, PHOTO, PRICING, TARIFF, WISH
from tests.invariants.dry_run_steps import Known, Step, step


def storage_steps() -> Iterator[Step]:
    """Yield steps about a storage tariff, storage orders, packages and ship-outs."""
    named = {"storage_order_id": "$kept"}
    yield step("admin", "set_storage_tariff", **TARIFF)
    yield step("customer", "create_storage_order", {"dropped": "storage_order.id"}, storage=WISH, order_ref="S-1")
    yield step("customer", "pay_storage_order", storage_order_id="$dropped")
    yield step("customer", "cancel_storage_order", storage_order_id="$dropped")
    yield step("customer", "create_storage_order", {"kept": "storage_order.id"}, storage=WISH, note="Keep dry")
    yield step("admin", "confirm_storage_order", **named)
    yield Step("admin", "receive_stored_packages", _arrivals, {"boxes": "received"})
    yield Step("admin", "add_package_photo", lambda known: {"package_id": _box(known, 0), **PHOTO})
    send = {"code": "send", "kind": "shipout", "name": "Send", "pricing": PRICING}
    yield step("admin", "create_service", **send)
    yield Step("customer", "create_shipout", lambda known: _shipout(known, 0), {"dropped_out": "shipout.id"})
    yield step("customer", "pay_shipout", shipout_id="$dropped_out")
    yield step("customer", "cancel_shipout", shipout_id="$dropped_out")
    yield Step("customer", "create_shipout", lambda known: _shipout(known, 2), {"sent_out": "shipout.id"})
    yield step("admin", "confirm_shipout", shipout_id="$sent_out")
    yield step("admin", "ship_shipout", shipout_id="$sent_out")
    for at in (0, 1):
        yield Step("admin", "return_stored_package", lambda known, at=at: {"package_id": _box(known, at)})
    yield step("admin", "close_storage_order", **named)


def _arrivals(known: Known) -> dict[str, object]:
    box = {**BOX, "location_id": known["places"][0]["id"], "description": "Tyres"}
    return {"storage_order_id": known["kept"], "packages": [box, box, box]}


def _box(known: Known, at: int) -> int:
    return known["boxes"][at]["id"]


def _shipout(known: Known, at: int) -> dict[str, object]:
    return {"service_code": "send", "parcels": [{"package_ids": [_box(known, at)]}], "consignee": HOME}
