"""Errors of windows and reservations: full, closed, ended, or of another order."""

from typing import Any

from tests.contexts.booking.reservations.makers import DAY, IN_ZONE, hold_place, make_window, make_zone, try_to_confirm
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_order, set_order

from haulier.contexts.booking.reservations.store import BookingWindowRow

HOURS = {"free": 8, "full": 9, "closed": 10, "late": 11, "old": 12, "shut": 13}


async def scene(app: App) -> dict[str, Any]:
    """Create windows of every kind in one zone, one in another, and reservations."""
    zone = await make_zone(app)
    ids: dict[str, Any] = {"zone": zone, "other": await make_zone(app, "Uptown", ("M4",))}
    for name, hour in HOURS.items():
        hours = {"starts": f"{hour:02}:00", "ends": f"{hour:02}:30", "capacity": 20}
        ids[name] = await make_window(app, zone, **hours)
    ids["far"] = await make_window(app, ids["other"])
    for name in ("expired", "over", "kept", "bound", "squeezed"):
        window = ids["shut"] if name in ("bound", "squeezed") else ids["free"]
        ids[f"r_{name}"] = await hold_place(app, window, "customer", minutes=1 if name == "expired" else 120)
    order = {name: await make_order(app, "customer") for name in ("kept", "bound", "new", "planned")}
    order["far"] = await make_order(app, "customer", postal_code="M4C 1A1")
    for name in ("kept", "bound"):
        await try_to_confirm(app, ids[f"r_{name}"], order[name], "customer")
    await app.answer("customer", "cancel_reservation", {"reservation_id": ids["r_over"]})
    app.clock.forward(minutes=1)
    ids["r_held"] = await hold_place(app, ids["free"], "customer", minutes=120)
    for name in ("kept", "planned"):
        await set_order(app, order[name], status=3)
    await _change(app, ids)
    return {**ids, **{f"o_{name}": id for name, id in order.items()}}


async def _change(app: App, ids: dict[str, Any]) -> None:
    """Use up the customer's reservations, then change windows to match their names."""
    for _ in range(3):
        await hold_place(app, ids["old"], "customer", minutes=120)
    changes = {"closed": {"closed": True}, "full": {"capacity": 0}}
    changes |= {name: {"cut_off_min": 14 * 24 * 60} for name in ("late", "shut")}
    for name, words in changes.items():
        await app.answer("admin", "update_booking_window", {"window_id": ids[name], **words})
    async with app.database.write(app.clients["demo"]) as work:
        await BookingWindowRow.update(work, ids["shut"], {"capacity": 1})


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    taken = {"name": "Uptown", "postal_prefixes": ["X"]}
    window = {"zone_id": ids["zone"], "day": DAY, "starts": "08:00", "ends": "08:30", "capacity": 1}
    here = {"postal_code": IN_ZONE}
    found: dict[tuple[str, str], Any] = {
        ("create_booking_zone", "BOOKING_ZONE_NAME_TAKEN"): ("admin", taken),
        ("update_booking_zone", "BOOKING_ZONE_NAME_TAKEN"): ("admin", {**taken, "zone_id": ids["zone"]}),
        ("create_booking_window", "BOOKING_WINDOW_EXISTS"): ("admin", window),
        ("update_booking_window", "BOOKING_CAPACITY_BELOW_TAKEN"): (
            "admin",
            {"window_id": ids["free"], "capacity": 0},
        ),
        ("hold_window", "RESERVATION_TOO_MANY_HOLDS"): ("customer", {"window_id": ids["free"], **here}),
    }
    unusable = {"CLOSED": "closed", "CUT_OFF": "late", "FULL": "full", "ELSEWHERE": "far"}
    for why, name in unusable.items():
        code = f"BOOKING_WINDOW_{why}"
        found["hold_window", code] = ("customer", {"window_id": ids[name], **here})
        found["reschedule_reservation", code] = ("admin", {"reservation_id": ids["r_held"], "window_id": ids[name]})
    more = {
        "confirm_reservation": {"order_id": ids["o_new"]},
        "reschedule_reservation": {"window_id": ids["old"]},
        "cancel_reservation": {},
    }
    for name, words in more.items():
        for code, which in (("RESERVATION_HOLD_EXPIRED", "expired"), ("RESERVATION_OVER", "over")):
            found[name, code] = ("customer", {"reservation_id": ids[f"r_{which}"], **words})
    found["cancel_reservation", "BOOKING_WINDOW_CUT_OFF"] = ("customer", {"reservation_id": ids["r_bound"]})
    held = {"reservation_id": ids["r_held"]}
    exchanged = {"reservation_id": ids["r_kept"], "window_id": ids["old"]}
    return {
        **found,
        ("confirm_reservation", "BOOKING_WINDOW_FULL"): (
            "admin",
            {"reservation_id": ids["r_squeezed"], "order_id": ids["o_new"]},
        ),
        ("confirm_reservation", "BOOKING_WINDOW_ELSEWHERE"): ("admin", {**held, "order_id": ids["o_far"]}),
        ("confirm_reservation", "RESERVATION_ORDER_TAKEN"): ("admin", {**held, "order_id": ids["o_bound"]}),
        ("confirm_reservation", "RESERVATION_ORDER_NOT_BOOKABLE"): ("admin", {**held, "order_id": ids["o_planned"]}),
        ("confirm_reservation", "RESERVATION_CONFIRMED"): (
            "admin",
            {"reservation_id": ids["r_bound"], "order_id": ids["o_new"]},
        ),
        ("reschedule_reservation", "RESERVATION_ORDER_NOT_BOOKABLE"): ("admin", exchanged),
    }
