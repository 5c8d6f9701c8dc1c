"""Steps of the dry-run day about pay and payouts."""

from collections.abc import Iterator

from tests.invariants.dry_run_steps import Step, step


def pay_steps() -> Iterator[Step]:
    """Yield the steps of a rate, a bonus and the payout of the bonus."""
    paid = {"payee_kind": "driver", "payee_id": "$dan"}
    yield step("admin", "set_pay_rate", {"rate": "rate.id"}, valid_from="2026-06-01", per_stop_minor=250, **paid)
    yield step("admin", "end_pay_rate", rate_id="$rate", last_day="2026-12-31")
    yield step("admin", "adjust_pay", {"bonus": "earning.id"}, amount_minor=5000, reason="a bonus", **paid)
    yield step("admin", "correct_earning", earning_id="$bonus", amount_minor=4000, reason="a smaller one")
    yield from _payout_steps()


def _payout_steps() -> Iterator[Step]:
    """Yield the steps of a payout from its creation to its cancellation."""
    yield step("admin", "create_payouts", {"payouts": "payouts"}, payee_kind="driver", payee_id="$dan")

    def one(operation: str, **more: object) -> Step:
        return Step("admin", operation, lambda known: {"payout_id": known["payouts"][0]["id"], **more})

    def many(operation: str) -> Step:
        return Step("admin", operation, lambda known: {"payout_ids": [known["payouts"][0]["id"]]})

    def disputed(operation: str, **more: object) -> Step:
        return Step(
            "admin",
            operation,
            lambda known: {"payout_id": known["payouts"][0]["id"], "earning_ids": [known["bonus"]], **more},
        )

    yield disputed("dispute_payout", reason="too little")
    yield disputed("resolve_payout_dispute", answer="it is right")
    yield many("close_payouts")
    yield many("pay_payouts")
    yield one("reopen_payout", reason="the bank returned it")
    yield one("cancel_payout", reason="for the wrong week")
