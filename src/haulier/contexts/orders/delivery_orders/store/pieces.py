"""What became of single pieces of orders."""

from collections.abc import Collection, Mapping

from sqlalchemy import String, bindparam, update

from haulier.contexts.custom_fields.public import Document
from haulier.contexts.orders.delivery_orders.store.orders import packages
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_set_outcome = (
    update(packages).where(in_param(packages.c.id, "ids")).values(outcome=bindparam("new_outcome", type_=String()))
)

_set_fields = (
    update(packages)
    .where(packages.c.id == bindparam("package"))
    .values(custom_fields=bindparam("document", type_=packages.c.custom_fields.type))
)


async def set_piece_outcome(work: UnitOfWork, package_ids: Collection[int], outcome: str | None) -> None:
    """Write what became of some packages; None where that is open again."""
    await work.run(_set_outcome, ids=sorted(package_ids), new_outcome=outcome)


async def update_piece_fields(work: UnitOfWork, documents: Mapping[int, Document | None]) -> None:
    """Write what packages keep of custom fields, by their ids."""
    await work.run_many(_set_fields, [{"package": id, "document": each} for id, each in documents.items()])
