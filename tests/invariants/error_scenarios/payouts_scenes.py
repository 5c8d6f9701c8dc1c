"""Errors of payouts: nothing to pay, disputed, decided and paid ones."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

NAMES = ("disputed", "decided", "paid", "corrected", "cancelled")


async def scene(app: App) -> dict[str, Any]:
    """Create payouts in every state, one with a corrected earning."""
    made: dict[str, Any] = {}
    payee = {"payee_kind": "contractor", "payee_id": app.ids["contractor"]}
    for name in NAMES:
        earned = {**payee, "amount_minor": 5000, "reason": "Work"}
        earning = (await app.answer("admin", "adjust_pay", earned)).earning.id
        (payout,) = (await app.answer("admin", "create_payouts", payee)).payouts
        made |= {name: payout.id, f"{name}_earning": earning}
        if name not in ("paid", "cancelled"):
            await app.answer("contractor", "dispute_payout", {**_lines(made, name), "reason": "Too little."})
    await app.answer("admin", "resolve_payout_dispute", {**_lines(made, "decided"), "answer": "The rate is right."})
    await app.answer("admin", "pay_payouts", {"payout_ids": [made["paid"]]})
    await app.answer("admin", "cancel_payout", {"payout_id": made["cancelled"], "reason": "x"})
    correction = {"earning_id": made["corrected_earning"], "amount_minor": 0, "reason": "x"}
    await app.answer("admin", "correct_earning", correction)
    return made


def _lines(ids: dict[str, Any], name: str) -> dict[str, Any]:
    return {"payout_id": ids[name], "earning_ids": [ids[f"{name}_earning"]]}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    lines = {name: _lines(ids, name) for name in NAMES}
    one = {name: {"payout_id": ids[name]} for name in NAMES}
    many = {name: {"payout_ids": [ids[name]]} for name in NAMES}
    why, answer, refused = {"reason": "x"}, {"answer": "x"}, "PAYOUT_STEP_REFUSED"
    return {
        ("create_payouts", "NOTHING_TO_PAY"): ("admin", {"until": "2020-01-01"}),
        ("dispute_payout", refused): ("admin", {**lines["paid"], **why}),
        ("dispute_payout", "PAYOUT_LINE_DISPUTED"): ("admin", {**lines["decided"], **why}),
        ("resolve_payout_dispute", refused): ("admin", {**lines["paid"], **answer}),
        ("resolve_payout_dispute", "PAYOUT_DISPUTE_CLOSED"): ("admin", {**lines["decided"], **answer}),
        ("resolve_payout_dispute", "EARNING_CORRECTED"): ("admin", {**lines["corrected"], **answer, "amount_minor": 1}),
        ("close_payouts", refused): ("admin", many["paid"]),
        ("close_payouts", "PAYOUT_DISPUTED"): ("admin", many["disputed"]),
        ("pay_payouts", refused): ("admin", many["cancelled"]),
        ("pay_payouts", "PAYOUT_DISPUTED"): ("admin", many["disputed"]),
        ("reopen_payout", refused): ("admin", {**one["disputed"], **why}),
        ("cancel_payout", refused): ("admin", {**one["paid"], **why}),
    }
