"""Errors of recipients: missing or expired access, and unavailable preferences."""

from typing import Any

from tests.contexts.booking.reservations.makers import hold_place, make_window, make_zone, try_to_confirm
from tests.contexts.recipients.makers import make_awaited_order
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import set_order

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.rules.ratings import CHANGEABLE_FOR

POSTAL_CODE = "M5V 2T6"
HOURS = {"free": 8, "full": 9, "closed": 10, "late": 11}


async def scene(app: App) -> dict[str, Any]:
    """Create windows of every kind, and recipient access to deliveries in each state."""
    zone = await make_zone(app)
    ids: dict[str, Any] = {}
    for name, hour in HOURS.items():
        hours = {"starts": f"{hour:02}:00", "ends": f"{hour:02}:30", "capacity": 1}
        ids[name] = await make_window(app, zone, **hours)
    ids["far"] = await make_window(app, await make_zone(app, "Far", ("V6B",)))
    for name in ("open", "planned", "over", "other", "rated"):
        order = await make_awaited_order(app)
        opened = {"number": order.tracking_number, "proof": POSTAL_CODE}
        ids[f"a_{name}"] = (await app.answer(None, "open_delivery", opened)).access
        ids[f"o_{name}"] = order.id
    await try_to_confirm(app, await hold_place(app, ids["full"]), ids["o_other"])
    await set_order(app, ids["o_planned"], status=3)
    await set_order(app, ids["o_over"], status=6)
    long_ago = app.clock() - CHANGEABLE_FOR
    await set_order(app, ids["o_rated"], status=OrderStatus.DELIVERED.value, rating=4, rated_at=long_ago)
    for name, words in (("closed", {"closed": True}), ("late", {"cut_off_min": 14 * 24 * 60})):
        await app.answer("admin", "update_booking_window", {"window_id": ids[name], **words})
    return ids


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    guessed, mine = {"access": "hldelivery_guessed_guessed"}, {"access": ids["a_open"]}
    found: dict[tuple[str, str], Any] = {
        ("open_delivery", "RECIPIENT_UNPROVEN"): (
            None,
            lambda language: {"number": f"HL-{language}", "proof": "0000"},
        ),
        ("set_delivery_instruction", "ORDER_IS_OVER"): (None, {"access": ids["a_over"], "instruction": "Gate 1"}),
        ("rate_delivery", "RATING_NOT_OPEN"): (None, {**mine, "rating": 5}),
        ("rate_delivery", "RATING_CLOSED"): (None, {"access": ids["a_rated"], "rating": 5}),
        ("get_delivery_proof_file", "NOT_FOUND"): (None, {**mine, "file_id": 1}),
        ("choose_delivery_window", "NOT_FOUND"): (None, {**mine, "window_id": 2**52}),
        ("choose_delivery_window", "RESERVATION_ORDER_NOT_BOOKABLE"): (
            None,
            {"access": ids["a_planned"], "window_id": ids["free"]},
        ),
    }
    more = {
        "get_delivery": {},
        "get_delivery_position": {},
        "find_delivery_windows": {},
        "set_delivery_instruction": {},
        "rate_delivery": {"rating": 5},
        "choose_delivery_window": {"window_id": 1},
        "get_delivery_proof_file": {"file_id": 1},
    }
    for name, words in more.items():
        found[name, "DELIVERY_ACCESS_INVALID"] = (None, {**guessed, **words})
    for why, name in {"CLOSED": "closed", "CUT_OFF": "late", "FULL": "full", "ELSEWHERE": "far"}.items():
        found["choose_delivery_window", f"BOOKING_WINDOW_{why}"] = (None, {**mine, "window_id": ids[name]})
    return found
