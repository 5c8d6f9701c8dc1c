"""A disputed payout of the contractor, for `business.py`."""

from typing import Any

from tests.support.app import App


async def make_payout(app: App, mark: str) -> dict[str, Any]:
    """Create a payout of the contractor with a disputed line."""
    payee = {"payee_kind": "contractor", "payee_id": app.ids["contractor"]}
    earned = {**payee, "amount_minor": 5000, "reason": mark}
    earning = (await app.answer("admin", "adjust_pay", earned)).earning
    (payout,) = (await app.answer("admin", "create_payouts", payee)).payouts
    one = {"payout_id": payout.id}
    await app.answer("contractor", "dispute_payout", {**one, "earning_ids": [earning.id], "reason": mark})
    return {**one, "payout_ids": [payout.id]}
