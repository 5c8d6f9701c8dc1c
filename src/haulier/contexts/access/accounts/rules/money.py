"""When a business may change its currency."""

from haulier.kernel.errors import problem

CURRENCY_FIXED = problem("currency_fixed", 409)


def demand_currency_may_change(currency: str, *, traded: bool) -> None:
    """Amounts carry the business's currency, so it stays once there are orders. Raises `CURRENCY_FIXED`."""
    if traded:
        raise CURRENCY_FIXED(currency=currency)
