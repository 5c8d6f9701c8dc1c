"""When a business may change its currency."""

from haulier.kernel.operations.errors import declare_error

CURRENCY_FIXED = declare_error("currency_fixed", 409)


def require_currency_changeable(currency: str, *, traded: bool) -> None:
    """Amounts carry the business's currency, so it cannot change once there are orders. Raises `CURRENCY_FIXED`."""
    if traded:
        raise CURRENCY_FIXED(currency=currency)
