"""What is stored beyond what was ordered is charged: month by month, each period once, and the rest when an order is closed."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time

from msgspec import Struct

from haulier.contexts.storage.events import StorageCharged
from haulier.contexts.storage.storage_orders.actions.orders import PERIOD, require_order
from haulier.contexts.storage.storage_orders.queries.tariffs import read_terms
from haulier.contexts.storage.storage_orders.rules.prices import (
    Stay,
    StoredSize,
    first_of_next_month,
    local_day,
    price_of_stays,
)
from haulier.contexts.storage.storage_orders.store import orders as store
from haulier.contexts.storage.storage_orders.store.orders import StorageChargeRow, StorageOrderRow
from haulier.contexts.storage.stored_packages.queries import StoredPackageRow, list_packages_of_order
from haulier.kernel.call import Call

CHARGE_STORAGE_JOB = "charge_storage"


class ChargeStorage(Struct):
    """The order whose month is over."""

    storage_order_id: int


async def charge_until(call: Call, row: StorageOrderRow, until: date) -> StorageOrderRow:
    """Add to what an order owes what it was stored for before a day begins, once for each day. The row must be locked.

    The price of all days together is rounded, and what was charged before is taken off: no period gains or loses by that.
    """
    if row.charged_to is not None and until <= row.charged_to:
        return row
    packages = await list_packages_of_order(call, row.id)
    stays = _stays(call, packages)
    cost = price_of_stays(read_terms(row.terms), stays, until)
    values: dict[str, object] = {"charged_to": until}
    if cost > row.owed_minor:
        await StorageChargeRow.insert(
            call.work,
            storage_order_id=row.id,
            kind=PERIOD,
            period_start=row.charged_to or min(stay.began for stay in stays),
            period_end=until,
            amount_minor=cost - row.owed_minor,
            created_at=call.now,
        )
        values["owed_minor"] = cost
        await call.publish(StorageCharged(storage_order_id=row.id, customer_id=row.customer_id))
    await store.update_order(call.work, row.id, values)
    return await require_order(call, row.id)


def _stays(call: Call, packages: Iterable[StoredPackageRow]) -> list[Stay]:
    zone = call.time_zone
    return [
        Stay(
            StoredSize(weight_g=row.weight_g, length_mm=row.length_mm, width_mm=row.width_mm, height_mm=row.height_mm),
            local_day(row.received_at, zone),
            local_day(row.left_at, zone) if row.left_at else None,
        )
        for row in packages
    ]


async def charge_next_month(call: Call, storage_order_id: int) -> None:
    """Look after what an order owes when the next month begins in the business's time zone."""
    begins = first_of_next_month(call.today)
    midnight = datetime.combine(begins, time.min, tzinfo=call.time_zone).astimezone(UTC)
    await call.enqueue(CHARGE_STORAGE_JOB, ChargeStorage(storage_order_id), run_at=midnight)
