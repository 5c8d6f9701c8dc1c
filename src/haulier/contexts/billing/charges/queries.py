"""Reads of charges for other families."""

from haulier.contexts.billing.charges import store
from haulier.contexts.billing.charges.rules import ChargeTime
from haulier.kernel.call import Call
from haulier.kernel.data.notified_cache import ClientCache
from haulier.kernel.data.unit_of_work import UnitOfWork


class KnownChargeTimes(ClientCache[ChargeTime]):
    """Cached policies of clients, which every new order needs."""

    channel = store.POLICIES_CHANNEL

    async def read(self, work: UnitOfWork) -> ChargeTime:
        """Return when local deliveries are charged; by default, on delivery."""
        row = await store.get_policy_row(work)
        return ChargeTime(row.deliveries) if row else ChargeTime.ON_DELIVERY


async def get_known_charge_time(call: Call) -> ChargeTime:
    """Return the cached time at which local deliveries are charged."""
    return await call.adapter(KnownChargeTimes).of(call.work)


async def load_charge_time(call: Call) -> ChargeTime:
    """Return when local deliveries are charged; by default, on delivery."""
    row = await store.get_policy_row(call.work)
    return ChargeTime(row.deliveries) if row else ChargeTime.ON_DELIVERY
