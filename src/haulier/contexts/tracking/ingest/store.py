"""Statements of carrier assignments."""

from collections.abc import Collection

from sqlalchemy import Column, String, UniqueConstraint, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

CARRIER_MAX = 120

carrier_assignments = tenant_table(
    "tracking_carriage",
    Column("subject_id", Id, nullable=False),
    Column("carrier", String(CARRIER_MAX), nullable=False),
    UniqueConstraint("client_id", "subject_id", "carrier"),
)
"""The carriers of a subject, where they are known: then no other provider may write on its timeline."""
plain_columns(carrier_assignments, "carrier")

_select_carriers = select(carrier_assignments.c.subject_id, carrier_assignments.c.carrier).where(
    in_param(carrier_assignments.c.subject_id, "ids")
)


async def carriers_by_subject(work: UnitOfWork, subject_ids: Collection[int]) -> dict[int, set[str]]:
    """Return the carriers of subjects, by subject id; unknown ones are missing."""
    carriers: dict[int, set[str]] = {}
    for row in await work.all(_select_carriers, ids=list(subject_ids)):
        carriers.setdefault(row.subject_id, set()).add(row.carrier)
    return carriers


async def insert_carrier_assignments(work: UnitOfWork, subject_ids: Collection[int], carrier: str) -> None:
    """Insert carrier assignments that do not exist yet."""
    carriers = await carriers_by_subject(work, subject_ids) if subject_ids else {}
    missing = sorted(id for id in subject_ids if carrier not in carriers.get(id, set()))
    if missing:
        await work.insert_many(carrier_assignments, [{"subject_id": id, "carrier": carrier} for id in missing])
