"""The audit trail: one row for every write that went through, in the same transaction as the change.

Passwords, codes and tokens are `SecretStr` in requests and are therefore never written here.
"""

from typing import Any

from sqlalchemy import BigInteger, Column, Index, String, bindparam, select

from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.data.tables import Json, UTCDateTime, shared_table
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.operations.text_safety import replace_unstorable

MAX_ADDRESS_LENGTH = 64
MAX_AGENT_LENGTH = 300
"""Longer User-Agent texts are cut: their beginning names the program."""

audit_entries = shared_table(
    "audit_entry",
    Column("owner_client_id", BigInteger),
    Column("at", UTCDateTime, nullable=False),
    Column("operation", String(100), nullable=False),
    Column("user_id", BigInteger),
    Column("account", String(20), nullable=False),
    Column("door", String(20), nullable=False),
    Column("request_id", String(64), nullable=False),
    Column("address", String(MAX_ADDRESS_LENGTH)),
    Column("agent", String(MAX_AGENT_LENGTH)),
    Column("request", Json, nullable=False),
    Index("ix_audit_entry_owner", "owner_client_id", "at"),
)
audit_subjects = shared_table(
    "audit_subject",
    Column("entry_id", BigInteger, nullable=False, index=True),
    Column("owner_client_id", BigInteger),
    Column("kind", String(40), nullable=False),
    Column("subject_id", BigInteger, nullable=False),
    Index("ix_audit_subject_subject", "owner_client_id", "kind", "subject_id"),
)

_entries_about = (
    select(audit_entries)
    .join(audit_subjects, audit_subjects.c.entry_id == audit_entries.c.id)
    .where(
        audit_subjects.c.owner_client_id == bindparam("owner"),
        audit_subjects.c.kind == bindparam("kind"),
        audit_subjects.c.subject_id == bindparam("subject"),
    )
    .order_by(audit_entries.c.id)
)


async def record_audit_entry(call: Call, operation: Operation[Any, Any], request: Request, door: str) -> None:
    """Write who did what, when, from where, through which door, with which request, to which records."""
    actor = call.signed_in_as or SignedInActor(call.principal.client_id, call.actor, call.principal.account)
    owner = actor.client_id
    entry = await call.work.insert(
        audit_entries,
        owner_client_id=owner,
        at=call.now,
        operation=operation.name,
        user_id=actor.user_id,
        account=actor.account.value,
        door=door,
        request_id=call.request_id,
        address=call.address and call.address[:MAX_ADDRESS_LENGTH],
        agent=call.agent and replace_unstorable(call.agent)[:MAX_AGENT_LENGTH],
        request=request.model_dump(mode="json", exclude_defaults=True),
    )
    if call.audited_records:
        rows = [
            {"entry_id": entry, "owner_client_id": owner, "kind": kind, "subject_id": id}
            for kind, id in dict.fromkeys(call.audited_records)
        ]
        await call.work.insert_many(audit_subjects, rows)


async def list_audit_entries(call: Call, kind: str, subject_id: int) -> list[Any]:
    """Every recorded write of this client about one record, oldest first."""
    return list(await call.work.all(_entries_about, owner=call.client_id, kind=kind, subject=subject_id))
