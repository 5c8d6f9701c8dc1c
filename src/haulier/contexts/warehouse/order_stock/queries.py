"""Stock of orders as other contexts read it."""

from collections.abc import Collection

from haulier.contexts.orders.public import OrderShelf
from haulier.contexts.warehouse.order_stock import store
from haulier.contexts.warehouse.order_stock.contract import ReserveWhen
from haulier.kernel.call import Call
from haulier.kernel.data.notified_cache import ClientCache
from haulier.kernel.data.unit_of_work import UnitOfWork


class KnownReservePolicies(ClientCache[ReserveWhen]):
    """Cached policies of clients, which every order with a known product needs."""

    channel = store.POLICIES_CHANNEL

    async def read(self, work: UnitOfWork) -> ReserveWhen:
        """Return the policy of the client; manual if it set none."""
        policy = await store.get_policy(work)
        return ReserveWhen(policy.reserve) if policy else ReserveWhen.MANUAL


async def get_reserve_policy(call: Call) -> ReserveWhen:
    """Return when the client reserves stock for orders."""
    return await call.adapter(KnownReservePolicies).of(call.work)


async def has_picked_stock(call: Call, reference: str) -> bool:
    """Return True if stock was picked, packed or shipped for a reference."""
    return await store.is_picked(call.work, reference)


async def get_first_shelves(call: Call, order_ids: Collection[int]) -> dict[int, OrderShelf]:
    """Return the first shelf, in walking order, of the stock reserved for orders."""
    found: dict[int, OrderShelf] = {}
    for row in await store.list_shelf_rows(call.work, order_ids):
        shelf = OrderShelf(row.warehouse_id, row.walk_order, row.code)
        found[row.order_id] = min(found.get(row.order_id, shelf), shelf)
    return found
