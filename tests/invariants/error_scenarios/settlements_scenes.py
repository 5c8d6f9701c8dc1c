"""Errors of settlements: nothing to collect, fixed entries, missing reasons."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.support.transport import make_order, make_started_route


async def scene(app: App) -> dict[str, Any]:
    """Deliver two orders of Dan, one settled and one open."""
    ids = [await make_order(app, cod_minor=2500) for _ in range(2)]
    route = await make_started_route(app, ids)
    cash = [{"method": "cash", "amount_minor": 2500}]
    for stop, taken in zip(route.stops, (cash, []), strict=True):
        at = {"route_id": route.id, "stop_id": stop.id, "cod": taken}
        await app.answer("driver", "rider_deliver", at | ({} if taken else {"cod_reason": "Forgot the purse."}))
    entries = (await app.answer("admin", "list_cod_entries", {})).entries
    due = next(entry.id for entry in entries if entry.kind == "due")
    rate = {"payee_kind": "driver", "valid_from": "2026-06-01"}
    rate_id = (await app.answer("admin", "set_pay_rate", rate)).rate.id
    bonus = {"payee_kind": "driver", "payee_id": route.driver_id, "amount_minor": 1, "reason": "x"}
    earning = (await app.answer("admin", "adjust_pay", bonus)).earning.id
    await app.answer("admin", "correct_earning", {"earning_id": earning, "amount_minor": 0, "reason": "x"})
    return {"rate": rate_id, "earning": earning, "paid": ids[0], "open": ids[1], "due": due, "driver": route.driver_id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    paid, unpaid = {"order_id": ids["paid"]}, {"order_id": ids["open"]}
    payment = {"method": "cash", "amount_minor": 2501}
    corrected = {"earning_id": ids["earning"], "amount_minor": 0, "reason": "x"}
    too_early = {"rate_id": ids["rate"], "last_day": "2026-05-31"}
    return {
        ("correct_earning", "EARNING_CORRECTED"): ("admin", corrected),
        ("end_pay_rate", "RATE_ENDS_BEFORE_IT_BEGINS"): ("admin", too_early),
        ("hand_in_cash", "HAND_IN_NEEDS_REASON"): ("admin", {"driver_id": ids["driver"], "counted_minor": 1}),
        ("record_cod_payment", "COD_NOTHING_OPEN"): ("admin", {**paid, **payment}),
        ("record_cod_payment", "COD_TOO_MUCH"): ("admin", {**unpaid, **payment}),
        ("reverse_cod_entry", "COD_NOT_REVERSIBLE"): ("admin", {"entry_id": ids["due"], "reason": "x"}),
        ("write_off_cod", "COD_NOTHING_OPEN"): ("admin", {**paid, "reason": "x"}),
        ("write_off_cod", "COD_TOO_MUCH"): ("admin", {**unpaid, "amount_minor": 2501, "reason": "x"}),
    }
