"""Errors of lockers: full, without device, in another state; unusable codes."""

from typing import Any

from tests.contexts.lockers.examples import ADA, SITE
from tests.contexts.lockers.makers import deposited, make_cabinet, reserved
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_contact, make_depot, make_order


async def scene(app: App) -> dict[str, Any]:
    """Create a full locker with parcels in each state, and two without a device."""
    cabinet = await make_cabinet(app)
    inside, waiting = await deposited(app, cabinet), await reserved(app, cabinet.site_id)
    ghost = (await app.answer("admin", "create_locker_site", SITE)).site
    dumb = {"site_id": ghost.id, "code": "A", "layout": [{"size": "s", "count": 2}]}
    silent = (await app.answer("admin", "add_locker_cabinet", dumb)).cabinet
    orphan, over = await reserved(app, ghost.id), await reserved(app, ghost.id)
    await app.answer("admin", "cancel_locker_reservation", {"locker_parcel_id": over.id})
    cut = await make_cabinet(app)
    held, lost = await reserved(app, cut.site_id), await deposited(app, cut)
    await app.answer("admin", "decommission_device", {"device_id": cut.device_id})
    return {
        **await _orders(app),
        **await _drop_offs(app),
        **await _journal(app),
        "full": cabinet.site_id,
        "device": cabinet.device_id,
        "serial": f"CAB-{cabinet.site_id}",
        "inside": inside.id,
        "waiting": waiting.id,
        "ghost": ghost.id,
        "silent": silent.id,
        "orphan": orphan.id,
        "over": over.id,
        "speaks": cabinet.credential,
        "orphan_box": orphan.box_id,
        "held": held.id,
        "held_box": held.box_id,
        "lost": lost.id,
        "gone": cut.device_id,
        "credential": cut.credential,
        **await _screen_at(app, "ghost", ghost.id),
        **await _screen_at(app, "cut", cut.site_id),
    }


async def _screen_at(app: App, name: str, site_id: int) -> dict[str, Any]:
    screen = await app.answer("admin", "create_locker_screen", {"site_id": site_id, "name": name})
    courier = await app.answer("admin", "create_courier_code", {"site_id": site_id}, confirmed=True)
    return {f"{name}_key": screen.screen_key, f"{name}_courier": courier.code}


async def _orders(app: App) -> dict[str, Any]:
    """Create orders in a compartment, with COD, cancelled, and without restriction."""
    cabinet = await make_cabinet(app)
    boxed, paid, over, free = (
        await make_order(app),
        await make_order(app, cod_minor=100),
        await make_order(app),
        await make_order(app),
    )
    sent = {"order_id": boxed, "site_id": cabinet.site_id}
    parcel = (await app.answer("admin", "deliver_to_locker", sent)).delivery.locker_parcel_id
    await app.answer("admin", "deposit_locker_parcel", {"locker_parcel_id": parcel})
    await cabinet.does()
    await app.answer("admin", "cancel_order", {"order_id": over})
    pickup_depot = await make_depot(app)
    collected = await make_order(app, pickup_depot_id=pickup_depot)
    return {
        "boxed_order": boxed,
        "paid_order": paid,
        "over_order": over,
        "free_order": free,
        "collected_order": collected,
        "pickup_depot": pickup_depot,
        "roomy": cabinet.site_id,
    }


async def _journal(app: App) -> dict[str, Any]:
    """Create a locker whose device reported an offline opening, under number 5."""
    cabinet = await make_cabinet(app)
    parcel = await deposited(app, cabinet)
    opening = {"sequence": 5, "code_id": parcel.id, "box": parcel.box, "purpose": "collect"}
    journal = {"sent_at": "2026-06-10T14:00:00Z", "openings": [{**opening, "opened_at": "2026-06-10T13:00:00Z"}]}
    await cabinet.says("report_offline_openings", **journal)
    return {"offline": cabinet.credential, "offline_parcel": parcel.id, "offline_box": parcel.box}


async def _drop_offs(app: App) -> dict[str, Any]:
    """Create pickup orders in each state, and screens with their codes."""
    cabinet = await make_cabinet(app, [{"size": "s", "count": 1}])
    ends = {"type": "P", "shipper": make_contact()}
    orders = [(await app.answer("admin", "create_order", ends)).order.id for _ in range(3)]
    made = await app.answer("admin", "drop_off_at_locker", {"order_id": orders[0], "site_id": cabinet.site_id})
    await cabinet.says("present_locker_code", code=made.code)
    await cabinet.does()
    await app.answer("admin", "cancel_order", {"order_id": orders[1]})
    screen = await app.answer("admin", "create_locker_screen", {"site_id": cabinet.site_id, "name": "Left"})
    courier = await app.answer("admin", "create_courier_code", {"site_id": cabinet.site_id}, confirmed=True)
    names = ("handed_order", "over_pickup", "free_pickup")
    return {
        **dict(zip(names, orders, strict=True)),
        "one_box": cabinet.site_id,
        "screen_key": screen.screen_key,
        "courier": courier.code,
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    look = {"reason": "a look inside"}
    gone, credential = {"device_id": ids["gone"]}, {"credential": ids["credential"]}
    frame = {**credential, "sequence": 9}
    cabinet = {"code": "B", "layout": [{"size": "s", "count": 1}]}
    inside, waiting = {"locker_parcel_id": ids["inside"]}, {"locker_parcel_id": ids["waiting"]}
    orphan, held, lost, over = ({"locker_parcel_id": ids[name]} for name in ("orphan", "held", "lost", "over"))
    nothing = {"credential": ids["speaks"], "sequence": 9, "command_id": 9**9, "outcome": "done"}
    unknown = {"code": "hldevcode_nothing", "serial": "CAB-1"}
    state = {**frame, "sent_at": "2026-06-10T14:00:00Z"}
    return {
        ("create_locker_site", "NOT_FOUND"): ("admin", {"point_of_interest_id": 9**9}),
        ("create_device", "DEVICE_SERIAL_TAKEN"): ("admin", {"name": "Left", "serial": ids["serial"]}),
        ("renew_device_code", "DEVICE_NOT_USABLE"): ("admin", gone),
        ("revoke_device", "DEVICE_NOT_USABLE"): ("admin", gone),
        ("decommission_device", "DEVICE_NOT_USABLE"): ("admin", gone),
        ("send_device_command", "DEVICE_NOT_USABLE"): ("admin", {**gone, "command": "ring"}),
        ("register_device", "DEVICE_CODE_REFUSED"): (None, unknown),
        ("report_device_state", "DEVICE_UNKNOWN"): (None, state),
        ("open_device_channel", "DEVICE_UNKNOWN"): (None, credential),
        ("poll_device_commands", "DEVICE_UNKNOWN"): (None, credential),
        ("report_device_command", "DEVICE_UNKNOWN"): (None, {**frame, "command_id": 1, "outcome": "done"}),
        ("report_device_command", "NOT_FOUND"): (None, nothing),
        **_offline(ids, frame),
        ("present_locker_code", "DEVICE_UNKNOWN"): (None, {**frame, "code": "00000000"}),
        ("add_locker_cabinet", "CABINET_CODE_TAKEN"): ("admin", {**cabinet, "site_id": ids["full"], "code": "A"}),
        ("add_locker_cabinet", "LOCKER_DEVICE_TAKEN"): (
            "admin",
            {**cabinet, "site_id": ids["ghost"], "device_id": ids["device"]},
        ),
        ("update_locker_cabinet", "LOCKER_DEVICE_TAKEN"): (
            "admin",
            {"cabinet_id": ids["silent"], "device_id": ids["device"]},
        ),
        ("reserve_locker_box", "NO_FREE_BOX"): ("admin", {"site_id": ids["full"], "recipient": ADA}),
        **_to_lockers(ids),
        **_screens(ids),
        ("extend_locker_parcel", "LOCKER_STEP_REFUSED"): ("admin", {**over, "until": "2090-01-01T12:00:00Z"}),
        ("cancel_locker_reservation", "LOCKER_STEP_REFUSED"): ("admin", inside),
        ("renew_locker_code", "LOCKER_STEP_REFUSED"): ("admin", over),
        ("deposit_locker_parcel", "LOCKER_STEP_REFUSED"): ("admin", inside),
        ("deposit_locker_parcel", "LOCKER_WITHOUT_DEVICE"): ("admin", orphan),
        ("deposit_locker_parcel", "DEVICE_NOT_USABLE"): ("admin", held),
        ("retrieve_locker_parcel", "LOCKER_STEP_REFUSED"): ("admin", waiting),
        ("retrieve_locker_parcel", "DEVICE_NOT_USABLE"): ("admin", lost),
        ("open_locker_box", "LOCKER_WITHOUT_DEVICE"): ("admin", {"box_id": ids["orphan_box"], **look}),
        ("open_locker_box", "DEVICE_NOT_USABLE"): ("admin", {"box_id": ids["held_box"], **look}),
    }


def _screens(ids: dict[str, Any]) -> Attempts:
    """Return attempts with unusable screens and codes, and missing drop-offs."""
    at = {"site_id": ids["one_box"]}
    key, unknown = {"screen_key": ids["screen_key"]}, {"screen_key": "hlscreen_nothing"}
    typed, cut = {**key, "code": ids["courier"]}, {"screen_key": ids["cut_key"], "code": ids["cut_courier"]}
    return {
        ("show_locker_screen", "LOCKER_SCREEN_UNKNOWN"): (None, unknown),
        ("enter_locker_code", "LOCKER_SCREEN_UNKNOWN"): (None, {**unknown, "code": "00000000"}),
        ("enter_locker_code", "NOT_FOUND"): (None, {**typed, "locker_parcel_id": 9**9}),
        ("enter_locker_code", "LOCKER_STEP_REFUSED"): (None, {**cut, "locker_parcel_id": ids["lost"]}),
        ("enter_locker_code", "LOCKER_WITHOUT_DEVICE"): (
            None,
            {"screen_key": ids["ghost_key"], "code": ids["ghost_courier"], "locker_parcel_id": ids["orphan"]},
        ),
        ("enter_locker_code", "DEVICE_NOT_USABLE"): (
            None,
            {**cut, "locker_parcel_id": ids["held"]},
        ),
        ("drop_off_at_locker", "NOT_FOR_LOCKERS"): ("admin", {**at, "order_id": ids["free_order"]}),
        ("drop_off_at_locker", "ORDER_STEP_REFUSED"): ("admin", {**at, "order_id": ids["over_pickup"]}),
        ("drop_off_at_locker", "LOCKER_STEP_REFUSED"): ("admin", {**at, "order_id": ids["handed_order"]}),
        ("drop_off_at_locker", "NO_FREE_BOX"): ("admin", {**at, "order_id": ids["free_pickup"]}),
        ("cancel_locker_drop_off", "LOCKER_STEP_REFUSED"): ("admin", {"order_id": ids["handed_order"]}),
    }


def _to_lockers(ids: dict[str, Any]) -> Attempts:
    roomy = {"site_id": ids["roomy"]}
    return {
        ("deliver_to_locker", "NO_FREE_BOX"): ("admin", {"site_id": ids["full"], "order_id": ids["free_order"]}),
        ("switch_order_to_pickup", "ORDER_IN_LOCKER"): (
            "admin",
            {"order_id": ids["boxed_order"], "depot_id": ids["pickup_depot"]},
        ),
        ("deliver_to_locker", "ORDER_FOR_PICKUP"): ("admin", {**roomy, "order_id": ids["collected_order"]}),
        ("deliver_to_locker", "NOT_FOR_LOCKERS"): ("admin", {**roomy, "order_id": ids["paid_order"]}),
        ("deliver_to_locker", "ORDER_STEP_REFUSED"): ("admin", {**roomy, "order_id": ids["over_order"]}),
        ("deliver_to_locker", "LOCKER_DELIVERY_OVER"): ("admin", {**roomy, "order_id": ids["boxed_order"]}),
        ("cancel_locker_delivery", "LOCKER_DELIVERY_OVER"): ("admin", {"order_id": ids["boxed_order"]}),
    }


def _offline(ids: dict[str, Any], frame: dict[str, Any]) -> Attempts:
    opening = {"sequence": 5, "code_id": ids["offline_parcel"], "box": ids["offline_box"], "purpose": "deposit"}
    moments = {"sent_at": "2026-06-10T14:00:00Z", "openings": [{**opening, "opened_at": "2026-06-10T13:00:00Z"}]}
    other_door = {"credential": ids["offline"], "sequence": 9, **moments}
    return {
        ("get_offline_codes", "DEVICE_UNKNOWN"): (None, frame),
        ("report_offline_openings", "DEVICE_UNKNOWN"): (None, {**frame, "sent_at": "2026-06-10T14:00:00Z"}),
        ("report_offline_openings", "CLIENT_KEY_REUSED"): (None, other_door),
    }
