"""Steps of the dry-run day about lockers and their devices."""

from collections.abc import Iterator
from typing import Any

from tests.contexts.lockers.examples import ADA, LAYOUT, SITE
from tests.contexts.lockers.shop.examples import TEA
from tests.invariants.dry_run_resale import resale_steps
from tests.invariants.dry_run_steps import THERE, Step, step


def locker_steps() -> Iterator[Step]:
    """Yield steps about a site with a locker: deposits, withdrawals and cancellations."""
    yield step("admin", "create_locker_site", {"hall": "site.id"}, **SITE)
    yield step("admin", "create_device", {"cabinet device": "device.id", "code": "code"}, name="Left", serial="DRY-1")
    proof: dict[str, Any] = {"code": "$code", "serial": "DRY-1"}
    yield step(None, "register_device", {"credential": "credential"}, **proof)
    boxes: dict[str, Any] = {"site_id": "$hall", "code": "A", "layout": [*LAYOUT, {"size": "s", "count": 3}]}
    yield step("admin", "add_locker_cabinet", {"locker": "cabinet.id"}, **boxes, device_id="$cabinet device")
    yield step("admin", "update_locker_cabinet", cabinet_id="$locker", retired=False)
    yield step("admin", "update_locker_site", site_id="$hall", access_notes="Left of the clock")
    kept = {"boxed": "parcel.id", "box": "parcel.box_id"}
    yield step("admin", "reserve_locker_box", kept, site_id="$hall", recipient=ADA, reference="L-1")
    yield from _put_in("$boxed", 1)
    yield step("admin", "renew_locker_code", {"opens": "code"}, locker_parcel_id="$boxed")
    yield _said("present_locker_code", 2, code="00000000")
    yield _said("report_offline_openings", 3, sent_at="2026-06-10T14:00:00Z", wrong_codes=1)
    yield step("admin", "extend_locker_parcel", locker_parcel_id="$boxed", until="2090-01-01T12:00:00Z")
    yield step("admin", "retrieve_locker_parcel", locker_parcel_id="$boxed")
    yield step("admin", "reserve_locker_box", {"off": "parcel.id"}, site_id="$hall", recipient=ADA)
    yield step("admin", "cancel_locker_reservation", locker_parcel_id="$off", reason="came back")
    yield step("admin", "set_device_alarm_settings", silent_min=30)
    yield step("admin", "update_locker_box", box_id="$box", state="disabled", fault="hinge is bent")
    yield step("admin", "open_locker_box", box_id="$box", reason="The hinge is bent")
    yield from _deliveries()
    yield from _screens()
    yield from _shop()
    yield from resale_steps()
    yield from _device_steps()


def _deliveries() -> Iterator[Step]:
    """Yield steps of two locker deliveries, one changed back to an address.

    The driver opens the compartment of the other.
    """
    for name in ("l1", "l2"):
        yield step("admin", "create_order", {name: "order.id"}, consignee=THERE, order_ref=name)
        yield step("admin", "deliver_to_locker", order_id=f"${name}", site_id="$hall", size="m")
        if name == "l1":
            yield step("admin", "cancel_locker_delivery", order_id="$l1")
    route: dict[str, Any] = {"route_id": "$boxes tour"}
    yield step("admin", "create_route", {"boxes tour": "route.id"}, day="2026-06-10", depot_id="$depot")
    yield step("admin", "add_orders_to_route", {"boxes at": "route.stops"}, **route, order_ids=["$l2"])
    yield step("admin", "assign_route_driver", **route, driver_id="$dan")
    yield step("driver", "start_route", **route)
    for name in ("rider_make_locker_code", "rider_open_locker"):
        yield Step(
            "driver", name, lambda known: {"route_id": known["boxes tour"], "stop_id": known["boxes at"][0]["id"]}
        )


def _screens() -> Iterator[Step]:
    """Yield steps of two drop-offs at a site with a screen, one of them cancelled."""
    yield step(
        "admin", "create_locker_screen", {"screen": "screen.id", "key": "screen_key"}, site_id="$hall", name="Left"
    )
    yield step("driver", "create_courier_code", {"courier": "code"}, site_id="$hall")
    for name in ("h1", "h2"):
        yield step("admin", "create_order", {name: "order.id"}, type="P", shipper=THERE, order_ref=name)
        yield step("admin", "drop_off_at_locker", {"hands in": "code"}, order_id=f"${name}", site_id="$hall")
        if name == "h1":
            yield step("admin", "cancel_locker_drop_off", order_id="$h1")
    yield step(None, "enter_locker_code", screen_key="$key", code="$hands in")
    yield step(None, "show_locker_screen", screen_key="$key")
    yield step("admin", "end_locker_screen", screen_id="$screen")


def _shop() -> Iterator[Step]:
    """Yield steps that stock the locker shop and sell an item."""
    yield step("admin", "create_shop_product", {"tea": "product.id"}, **TEA)
    yield step("admin", "set_shop_settings", walk_in_customer_id="$customer")
    task: dict[str, Any] = {"site_id": "$hall", "shop_product_id": "$tea", "quantity": 1}
    yield step("admin", "create_restock_task", {"task": "task.id"}, **task)
    filled = {"door": "command.id", "tin": "item.id"}
    yield step("admin", "restock_shop_box", filled, restock_task_id="$task")
    yield step(None, "poll_device_commands", credential="$credential")
    yield _said("report_device_command", 10, command_id="$door", outcome="done")
    yield step("admin", "withdraw_shop_item", shop_item_id="$tin")
    yield step("admin", "put_shop_item_on_sale", shop_item_id="$tin")
    frame: dict[str, Any] = {"credential": "$credential", "sequence": 11, "shop_product_id": "$tea"}
    yield step(None, "reserve_shop_item_at_cabinet", {"wanted": "purchase.id"}, **frame)
    yield step("admin", "cancel_shop_purchase", shop_purchase_id="$wanted")
    screen: dict[str, Any] = {"site_id": "$hall", "name": "Right"}
    yield step("admin", "create_locker_screen", {"sells": "screen_key"}, **screen)
    touched: dict[str, Any] = {"screen_key": "$sells", "shop_product_id": "$tea"}
    yield step(None, "buy_at_locker_screen", {"kept": "link"}, **touched)
    yield step(None, "cancel_linked_shop_purchase", link="$kept")
    yield step("admin", "top_up_credit", customer_id="$customer", amount_minor=850, reference="For tea")
    wish: dict[str, Any] = {"site_id": "$hall", "shop_product_id": "$tea"}
    yield step("customer", "reserve_shop_item", {"bought": "purchase.id"}, **wish)
    yield step("customer", "buy_reserved_shop_item", shop_purchase_id="$bought")


def firmware_steps() -> Iterator[Step]:
    """Yield steps of a rollout that is paused, retried, cancelled and withdrawn."""
    yield step("admin", "create_firmware_release", {"firmware": "release.id"}, version="3.0.0", content="Mw==")
    planned: dict[str, Any] = {"firmware_release_id": "$firmware", "share_pct": 50, "note": "Hall B first"}
    yield step("admin", "create_firmware_rollout", {"rollout": "rollout.id"}, **planned)
    named: dict[str, Any] = {"firmware_rollout_id": "$rollout"}
    yield step("admin", "start_firmware_rollout", **named)
    yield step("admin", "update_firmware_rollout", **named, share_pct=100)
    yield step("admin", "pause_firmware_rollout", **named, reason="Complaints")
    yield step("admin", "resume_firmware_rollout", **named)
    yield step("admin", "retry_firmware_rollout", **named)
    yield step("admin", "cancel_firmware_rollout", **named)
    yield step("admin", "withdraw_firmware_release", firmware_release_id="$firmware", reason="Doors stay open")


def _put_in(parcel: str, sequence: int) -> Iterator[Step]:
    yield step("admin", "deposit_locker_parcel", {"door": "command.id"}, locker_parcel_id=parcel)
    yield step(None, "poll_device_commands", credential="$credential")
    yield _said("report_device_command", sequence, command_id="$door", outcome="done")


def _said(operation: str, sequence: int, **said: Any) -> Step:
    return step(None, operation, credential="$credential", sequence=sequence, **said)


def _device_steps() -> Iterator[Step]:
    named: dict[str, Any] = {"device_id": "$cabinet device"}
    doors = [{"box": 1, "open": False}]
    yield _said("report_device_state", 3, sent_at="2026-06-10T14:00:00Z", battery_pct=80, doors=doors)
    yield step(None, "open_device_channel", credential="$credential")
    yield step("admin", "update_device", **named, firmware_channel="beta")
    yield step("admin", "send_device_command", **named, command="config", settings={"volume": "7"}, reason="Quieter")
    yield from firmware_steps()
    yield step("admin", "renew_device_code", **named)
    yield step("admin", "revoke_device", **named)
    yield step("admin", "decommission_device", **named)
