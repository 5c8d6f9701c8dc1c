"""Lockers of the demo client, for `business.py`."""

from typing import Any

from tests.contexts.lockers.examples import ADA
from tests.contexts.lockers.makers import MOMENT, make_cabinet, make_order_for, reserved, watched
from tests.invariants.business_firmware import firmware
from tests.support.app import App

MARK = "Only-For-Demo-Eyes"


async def lockers(app: App) -> dict[str, Any]:
    """Create a site with a locker, a registered device and a spare one, and parcels.

    One parcel is in its compartment, and one is only reserved.
    """
    cabinet = await make_cabinet(app, [{"size": "s", "count": 9}], name=MARK, address=MARK, access_notes=MARK)
    (box, *_) = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id})).boxes
    named = {"recipient": {**ADA, "name": MARK, "customer_id": app.ids["customer"]}, "reference": MARK}
    inside, waiting = [await reserved(app, cabinet.site_id, **named) for _ in range(2)]
    await app.answer("admin", "deposit_locker_parcel", {"locker_parcel_id": inside.id})
    ended = await cabinet.does()
    await app.answer("admin", "set_device_alarm_settings", {"letters": False})
    await cabinet.says("report_device_state", sent_at=MOMENT, battery_pct=3)
    await watched(app)
    spare = await app.answer("admin", "create_device", {"name": MARK, "serial": "CAB-00017"})
    return {
        "site_id": cabinet.site_id,
        "cabinet_id": cabinet.id,
        "box_id": box.id,
        "cabinet_device_id": cabinet.device_id,
        "device_credential": cabinet.credential,
        "device_code": spare.code,
        "command_id": ended[0].id,
        "locker_parcel_id": waiting.id,
        "deposited_parcel_id": inside.id,
        "locker_order_id": await make_order_for(app, cabinet),
        **await screens_and_drop_offs(app, cabinet.site_id),
        **await firmware(app, MARK),
    }


async def screens_and_drop_offs(app: App, site_id: int) -> dict[str, Any]:
    """Create a screen, a courier code and an order with a drop-off at the site."""
    made = await app.answer("admin", "create_locker_screen", {"site_id": site_id, "name": MARK})
    await app.answer("admin", "create_courier_code", {"site_id": site_id}, confirmed=True)
    sender = {"name": MARK, "address": "9 Back Lane", "city": "Toronto", "country": "CA", "postal_code": "M5H 1A1"}
    order = (await app.answer("admin", "create_order", {"type": "P", "shipper": sender})).order
    await app.answer("admin", "drop_off_at_locker", {"order_id": order.id, "site_id": site_id})
    return {"screen_id": made.screen.id, "locker_screen_key": made.screen_key, "drop_off_order_id": order.id}
