"""Reads of charges for other families."""

from haulier.contexts.billing.charges import store
from haulier.contexts.billing.charges.rules import ChargeTime
from haulier.kernel.call import Call


async def load_charge_time(call: Call) -> ChargeTime:
    """Return when local deliveries are charged; by default, on delivery."""
    row = await store.get_policy_row(call.work)
    return ChargeTime(row.deliveries) if row else ChargeTime.ON_DELIVERY
