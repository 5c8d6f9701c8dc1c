"""Lookup of payees."""

from haulier.contexts.fleet.public import get_driver_row
from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.settlements.pay.rules import PayeeKind
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError


async def require_payee(call: Call, kind: PayeeKind, payee_id: int) -> str:
    """Return the name of a contractor or driver, including former ones.

    Raises `INVALID_REQUEST` for any other id.
    """
    if kind is PayeeKind.DRIVER:
        driver = await get_driver_row(call, payee_id)
        name = driver.name if driver else None
    else:
        user = (await get_users_by_id(call, [payee_id])).get(payee_id)
        name = user.name if user and user.account is Account.CONTRACTOR else None
    if name is None:
        raise INVALID_REQUEST.for_fields(FieldError("payee_id", "field.payee_unknown"))
    return name
