"""The audit trail: one entry per committed write, in the same transaction.

Passwords, codes and tokens are `SecretStr` or `Confidential` in requests and are therefore never stored here.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Index, String, bindparam, func, select

from haulier.kernel.call import Call, SignedInActor
from haulier.kernel.data.notices import client_subject
from haulier.kernel.data.personal_data import redacted
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE, Json, UTCDateTime, shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.confidential import TO_THE_AUDIT_TRAIL
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.text_safety import replace_unstorable
from haulier.kernel.pipeline.audit_digests import DIGEST_LENGTH, SALT_LENGTH, Subject, digest_entry, make_salt

MAX_ADDRESS_LENGTH = 64
MAX_AGENT_LENGTH = 300
"""Longer User-Agent headers are truncated; the name of the program comes first."""

RECORDS_CHANNEL = "records"
"""Channel for notices of audited writes: the kinds of records that changed, and their client."""

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
    Column("salt", String(SALT_LENGTH), info=VOLATILE),
    Column("digest", String(DIGEST_LENGTH), info=VOLATILE),
    Index("ix_audit_entry_owner", "owner_client_id", "at"),
    machinery=True,
)
"""`digest` covers every other column, the subjects and the salt. Erased entries have no salt."""
audit_subjects = shared_table(
    "audit_subject",
    Column("entry_id", BigInteger, nullable=False, index=True),
    Column("owner_client_id", BigInteger),
    Column("kind", String(40), nullable=False),
    Column("subject_id", BigInteger, nullable=False),
    Index("ix_audit_subject_subject", "owner_client_id", "kind", "subject_id"),
    machinery=True,
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

_subjects_of = (
    select(audit_subjects.c.entry_id, audit_subjects.c.kind, audit_subjects.c.subject_id)
    .where(in_param(audit_subjects.c.entry_id, "ids"))
    .order_by(audit_subjects.c.id)
)
_of_operation_since = (
    audit_entries.c.owner_client_id == bindparam("owner"),
    audit_entries.c.at >= bindparam("since", type_=audit_entries.c.at.type),
    audit_entries.c.operation == bindparam("operation"),
)
_audited_users = select(func.count(audit_entries.c.user_id.distinct())).where(*_of_operation_since)
_newest_of_operation = select(func.max(audit_entries.c.id)).where(*_of_operation_since)


async def record_audit_entry(call: Call, operation: str, request: Request, interface: str) -> None:
    """Record an audit entry for the current call.

    `operation` is the name of an operation, or of an account event that no operation covers.
    """
    actor = call.signed_in_as or SignedInActor(call.principal.client_id, call.actor, call.principal.account)
    owner = actor.client_id
    document = request.model_dump(mode="json", exclude_defaults=True, context=TO_THE_AUDIT_TRAIL)
    subjects = list(dict.fromkeys(call.audited_records))
    values = {
        "owner_client_id": owner,
        "at": call.now,
        "operation": operation,
        "user_id": actor.user_id,
        "account": actor.account.value,
        "door": interface,
        "request_id": call.request_id,
        "address": call.address and call.address[:MAX_ADDRESS_LENGTH],
        "agent": call.agent and replace_unstorable(call.agent)[:MAX_AGENT_LENGTH],
        # Redact entries without a client: no data export includes them, so their erasure could not be requested.
        "request": document if owner else redacted(document),
        "salt": make_salt(),
    }
    entry = await call.work.insert(audit_entries, **values, digest=digest_entry(values, subjects))
    if subjects:
        rows = [{"entry_id": entry, "owner_client_id": owner, "kind": kind, "subject_id": id} for kind, id in subjects]
        await call.work.insert_later(audit_subjects, rows)
        call.work.notify(RECORDS_CHANNEL, *{client_subject(owner, kind) for kind, _ in subjects})


async def list_entry_subjects(work: UnitOfWork, ids: Collection[int]) -> dict[int, list[Subject]]:
    """Return the subjects of audit entries by entry id, if any."""
    subjects: dict[int, list[Subject]] = {}
    for row in await work.all(_subjects_of, ids=list(ids)):
        subjects.setdefault(row.entry_id, []).append((row.kind, row.subject_id))
    return subjects


async def list_audit_entries(call: Call, kind: str, subject_id: int) -> list[Any]:
    """Return all audit entries of this client about one record, oldest first."""
    return list(await call.work.all(_entries_about, owner=call.client_id, kind=kind, subject=subject_id))


async def count_audited_users(work: UnitOfWork, client_id: int, operation: str, since: datetime) -> int:
    """Count the distinct users of a client in entries of one operation since a time."""
    return await work.value(_audited_users, owner=client_id, operation=operation, since=since)


async def has_audit_entry(work: UnitOfWork, client_id: int, operation: str, since: datetime) -> bool:
    """Return True if a client has an entry of an operation since a time."""
    newest = await work.value(_newest_of_operation, owner=client_id, operation=operation, since=since)
    return newest is not None
