"""The audit trail: one row for every write that went through, in the same transaction as the change.

Passwords, codes and tokens are `SecretStr` in requests and are therefore never written here.
"""

from typing import Any

from sqlalchemy import BigInteger, Column, Index, String, bindparam, select

from haulier.kernel.call import Arrival, Call
from haulier.kernel.data.tables import Json, UTCDateTime, shared_table
from haulier.kernel.operation import Operation, Request
from haulier.kernel.storable import clean

ADDRESS_MAX = 64
AGENT_MAX = 300
"""Programs say at length what they are; the beginning tells."""

entries = shared_table(
    "audit_entry",
    Column("owner_client_id", BigInteger),
    Column("at", UTCDateTime, nullable=False),
    Column("operation", String(100), nullable=False),
    Column("user_id", BigInteger),
    Column("account", String(20), nullable=False),
    Column("door", String(20), nullable=False),
    Column("request_id", String(64), nullable=False),
    Column("address", String(ADDRESS_MAX)),
    Column("agent", String(AGENT_MAX)),
    Column("request", Json, nullable=False),
    Index("ix_audit_entry_owner", "owner_client_id", "at"),
)
subjects = shared_table(
    "audit_subject",
    Column("entry_id", BigInteger, nullable=False, index=True),
    Column("owner_client_id", BigInteger),
    Column("kind", String(40), nullable=False),
    Column("subject_id", BigInteger, nullable=False),
    Index("ix_audit_subject_subject", "owner_client_id", "kind", "subject_id"),
)

_about = (
    select(entries)
    .join(subjects, subjects.c.entry_id == entries.c.id)
    .where(
        subjects.c.owner_client_id == bindparam("owner"),
        subjects.c.kind == bindparam("kind"),
        subjects.c.subject_id == bindparam("subject"),
    )
    .order_by(entries.c.id)
)


async def record(call: Call, operation: Operation[Any, Any], request: Request, door: str) -> None:
    """Write who did what, when, from where, through which door, with which request, to which records."""
    who = call.arrival or Arrival(call.principal.client_id, call.actor, call.principal.account)
    owner = who.client_id
    entry = await call.work.insert(
        entries,
        owner_client_id=owner,
        at=call.now,
        operation=operation.name,
        user_id=who.user_id,
        account=who.account.value,
        door=door,
        request_id=call.request_id,
        address=call.address and call.address[:ADDRESS_MAX],
        agent=call.agent and clean(call.agent)[:AGENT_MAX],
        request=request.model_dump(mode="json", exclude_defaults=True),
    )
    if call.touched:
        rows = [
            {"entry_id": entry, "owner_client_id": owner, "kind": kind, "subject_id": id}
            for kind, id in dict.fromkeys(call.touched)
        ]
        await call.work.insert_many(subjects, rows)


async def about(call: Call, kind: str, subject_id: int) -> list[Any]:
    """Every recorded write of this client about one record, oldest first."""
    return list(await call.work.all(_about, owner=call.client_id, kind=kind, subject=subject_id))
