"""Orders by their numbers and those of their pieces, and pieces that turned out to be others."""

from collections.abc import Collection

from sqlalchemy import delete, select

from haulier.contexts.orders.delivery_orders.store.tables import orders, packages
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_ids_by_numbers = select(orders.c.tracking_number, orders.c.id).where(in_param(orders.c.tracking_number, "numbers"))
_ids_by_package_numbers = select(packages.c.tracking_number, packages.c.order_id.label("id")).where(
    in_param(packages.c.tracking_number, "numbers")
)
_delete_packages = delete(packages).where(in_param(packages.c.id, "ids"))


async def find_order_ids_by_numbers(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """The ids of the orders with these tracking numbers, of their own or of a package."""
    found: dict[str, int] = {}
    for statement in (_ids_by_package_numbers, _ids_by_numbers) if numbers else ():
        found |= {row.tracking_number: row.id for row in await work.all(statement, numbers=sorted(set(numbers)))}
    return found


async def delete_order_packages(work: UnitOfWork, package_ids: Collection[int]) -> None:
    """Delete packages that turned out to be others."""
    await work.run(_delete_packages, ids=sorted(package_ids))
