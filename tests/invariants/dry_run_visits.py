"""Visit and waiting list steps of the dry-run day."""

from collections.abc import Iterator

from tests.invariants.dry_run_steps import Step, step


def visit_steps() -> Iterator[Step]:
    """Yield steps that book and check in visits, and join and leave a waiting list."""
    hours = {"day": "2026-06-11", "starts": "09:00", "ends": "12:00", "capacity": 1}
    day = {"check_in_before_min": 1440, "grace_min": 1440}
    for name in ("dock", "gate"):
        yield step("admin", "create_booking_zone", {name: "zone.id"}, name=name, kind="dock", **day)
        yield step("admin", "create_booking_window", {f"{name} window": "window.id"}, zone_id=f"${name}", **hours)
        visit = {f"{name} visit": "reservation.id"}
        yield step("admin", "hold_window", visit, window_id=f"${name} window", customer_id="$customer")
        code = {f"{name} code": "reservation.code"}
        yield step("admin", "confirm_reservation", code, reservation_id=f"${name} visit")
    waits = {"window_id": "$dock window", "customer_id": "$customer"}
    yield step("admin", "join_waiting_list", {"entry": "waiting_entry.id"}, **waits)
    yield step("admin", "leave_waiting_list", waiting_entry_id="$entry")
    yield step("admin", "check_in_reservation", reservation_id="$dock visit")
    yield step("admin", "check_in_by_code", code="$gate code")
