"""Errors of visits: early, missed, ended or repeated visits; closed waiting lists."""

from typing import Any

from tests.contexts.booking.reservations.makers import IN_ZONE, make_window, make_zone
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.booking.reservations.rules import MAX_WAITING_PER_CUSTOMER

TODAY = {"day": "2026-06-10", "starts": "11:00", "ends": "23:00"}
ALL_DAY = {"check_in_before_min": 1440, "grace_min": 1440}


async def scene(app: App) -> dict[str, Any]:
    """Create visits in each state, a missed one, and windows without a waiting list."""
    dock, gate = await _place(app, "Dock", **ALL_DAY), await _place(app, "Gate", grace_min=15)
    ids: dict[str, Any] = {
        "today": await make_window(app, dock, **TODAY, capacity=20),
        "later": await make_window(app, dock),
    }
    ids["dear"] = await make_window(app, dock, starts="13:00", ends="14:00", price_minor=400)
    gate_window = await make_window(app, gate, **TODAY, capacity=1)
    for name in ("came", "held", "expired", "gone"):
        ids |= await _visit(app, name, ids["today"], confirmed=name in ("came", "gone"))
    ids |= await _visit(app, "early", ids["later"])
    ids |= await _visit(app, "cheap", ids["today"], "customer")
    ids |= await _visit(app, "poor", ids["dear"], "customer", confirmed=False)
    ids |= await _visit(app, "missed", gate_window)
    await app.answer("admin", "check_in_reservation", {"reservation_id": ids["r_came"]})
    await app.answer("admin", "cancel_reservation", {"reservation_id": ids["r_gone"]})
    ramp = await make_window(app, await _place(app, "Ramp", grace_min=15, no_show_fee_minor=250), **TODAY, capacity=2)
    ids |= await _visit(app, "owing", ramp, "customer")
    ids |= await _visit(app, "unseen", ramp, "customer2")
    hidden = {"customer_id": app.ids["customer2"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    app.clock.forward(minutes=80)
    await app.work_off()
    await _visit(app, "instead", gate_window)
    return {**ids, **await _windows(app)}


async def _place(app: App, name: str, **words: Any) -> int:
    return (await app.answer("admin", "create_booking_zone", {"name": name, "kind": "dock", **words})).zone.id


async def _visit(
    app: App, name: str, window_id: int, customer: str | None = None, *, confirmed: bool = True
) -> dict[str, Any]:
    """Reserve a window, optionally for a customer, and return its id and code."""
    asked = {"window_id": window_id, "minutes": 1 if name == "expired" else 120}
    owner = {"customer_id": app.ids[customer]} if customer else {}
    held = (await app.answer("admin", "hold_window", {**asked, **owner})).reservation
    if confirmed:
        held = (await app.answer("admin", "confirm_reservation", {"reservation_id": held.id})).reservation
    return {f"r_{name}": held.id, f"code_{name}": held.code}


async def _windows(app: App) -> dict[str, Any]:
    """Create delivery windows in each state, and join the maximum of waiting lists."""
    zone, far = await make_zone(app), await make_zone(app, "Uptown", ("M4",))
    names = ["free", "closed", "late", *(f"full{n}" for n in range(MAX_WAITING_PER_CUSTOMER + 1))]
    ids: dict[str, Any] = {"far": await make_window(app, far)}
    for n, name in enumerate(names):
        ids[name] = await make_window(app, zone, starts=f"{8 + n // 2:02}:{n % 2 * 30:02}", ends="22:00")
        changed = {"closed": {"closed": True}, "late": {"cut_off_min": 14 * 24 * 60}, "free": {"capacity": 5}}
        words = {"window_id": ids[name], **changed.get(name, {"capacity": 0})}
        await app.answer("admin", "update_booking_window", words)
    for n in range(MAX_WAITING_PER_CUSTOMER):
        await app.answer("customer", "join_waiting_list", {"window_id": ids[f"full{n}"], "postal_code": IN_ZONE})
    place = await app.answer("admin", "hold_window", {"window_id": ids["free"], "postal_code": IN_ZONE})
    return {**ids, "r_delivery": place.reservation.id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    found: dict[tuple[str, str], Any] = {}
    checked_in = {
        "NO_VISIT": "delivery",
        "NOT_CONFIRMED": "held",
        "CHECK_IN_CLOSED": "early",
        "HOLD_EXPIRED": "expired",
        "OVER": "gone",
    }
    for why, name in checked_in.items():
        found["check_in_reservation", f"RESERVATION_{why}"] = ("admin", {"reservation_id": ids[f"r_{name}"]})
    found["check_in_reservation", "BOOKING_WINDOW_FULL"] = ("admin", {"reservation_id": ids["r_missed"]})
    by_code = {
        "RESERVATION_CHECK_IN_CLOSED": "early",
        "RESERVATION_OVER": "gone",
        "BOOKING_WINDOW_FULL": "missed",
    }
    for code, name in by_code.items():
        found["check_in_by_code", code] = ("admin", {"code": ids[f"code_{name}"]})
    came, dear = {"reservation_id": ids["r_came"]}, {"window_id": ids["dear"]}
    for name, words in (("confirm", {}), ("cancel", {}), ("reschedule", dear)):
        found[f"{name}_reservation", "RESERVATION_CHECKED_IN"] = ("admin", {**came, **words})
    found["confirm_reservation", "CREDIT_INSUFFICIENT"] = ("admin", {"reservation_id": ids["r_poor"]})
    found["reschedule_reservation", "CREDIT_INSUFFICIENT"] = ("admin", {"reservation_id": ids["r_cheap"], **dear})
    unusable = {
        "BOOKING_WINDOW_CLOSED": "closed",
        "BOOKING_WINDOW_CUT_OFF": "late",
        "BOOKING_WINDOW_ELSEWHERE": "far",
        "WAITING_LIST_NEEDLESS": "free",
        "WAITING_LIST_TOO_MANY": f"full{MAX_WAITING_PER_CUSTOMER}",
    }
    for code, name in unusable.items():
        asked = {"window_id": ids[name], "postal_code": IN_ZONE}
        found["join_waiting_list", code] = ("customer", asked)
    found |= _fees(ids)
    nowhere = {"window_id": 2**40, "postal_code": IN_ZONE}
    return {**found, ("join_waiting_list", "NOT_FOUND"): ("customer", nowhere)}


def _fees(ids: dict[str, Any]) -> Attempts:
    missed, owing = {"reservation_id": ids["r_missed"]}, {"reservation_id": ids["r_owing"]}
    return {
        ("pay_no_show_fee", "NO_SHOW_FEE_NOT_DUE"): ("admin", missed),
        ("pay_no_show_fee", "CREDIT_INSUFFICIENT"): ("customer", owing),
        ("pay_no_show_fee", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", {"reservation_id": ids["r_unseen"]}),
        ("list_reservations", "PRICE_HIDDEN_SETTLE_OFFLINE"): ("customer2", {"no_show_fee": "due"}),
        ("waive_no_show_fee", "NO_SHOW_FEE_NOT_CHARGED"): ("admin", {**missed, "reason": "The road was closed."}),
    }
