"""The part of the day in which the office keeps the credit of customers."""

from collections.abc import Callable, Iterator
from typing import TypeVar

S = TypeVar("S")


def credit_steps(step: Callable[..., S]) -> Iterator[S]:
    """What the office does about a customer's credit; `step` makes one step."""
    paid = {"customer_id": "$customer", "amount_minor": 5000, "reference": "Transfer 1"}
    yield step("admin", "top_up_credit", **paid)
    yield step("admin", "adjust_credit", **{**paid, "amount_minor": -200, "reason": "Typed wrong."})
    yield step("admin", "set_credit_limit", customer_id="$customer", limit_minor=10000)
