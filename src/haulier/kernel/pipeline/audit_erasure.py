"""Erasure and retention of personal data in the audit trail.

Each erasure and removal is itself recorded in the trail. The database refuses all other changes
(`adapters/audit_guard.py`).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, String, Text, bindparam, cast, delete, func, or_, select, update

from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import (
    PersonKey,
    PersonKeys,
    RecordKind,
    any_of,
    key_in,
    personal_data,
    plain_columns,
    redacted,
    retained,
)
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import ArrayParam, Json
from haulier.kernel.operations.declaration import Request
from haulier.kernel.pipeline.audit import audit_entries, audit_subjects, list_entry_subjects, record_audit_entry
from haulier.kernel.pipeline.audit_digests import digest_entry

ERASED_ENTRIES, REMOVED_ENTRIES = "erase_audit_entries", "remove_audit_entries"
"""Operation names of erasure and removal entries; no operation has these names."""
RECORDS = (PersonKey.USER, PersonKey.DRIVER, PersonKey.DRIVER_REGISTRATION, PersonKey.ORDER, PersonKey.STOP)
ERASABLE = ("request", "address", "agent")


class ErasedEntries(Request):
    """Audit entry of an erasure: ids of the erased entries with their new digests."""

    digests: dict[int, str]


class RemovedEntries(Request):
    """Audit entry of a removal by retention: number of entries and age limit."""

    entries: int
    before_s: int


_erase_on_sqlite = (
    update(audit_entries)
    .where(audit_entries.c.id == bindparam("entry"))
    .values(
        salt=None,
        request=bindparam("new_request", type_=Json()),
        address=bindparam("new_address"),
        agent=bindparam("new_agent"),
    )
)
_erase_on_postgres = select(
    func.haulier_erase_audit_entry(
        bindparam("entry", type_=BigInteger()),
        bindparam("new_request", type_=Json()),
        bindparam("new_address", type_=String()),
        bindparam("new_agent", type_=String()),
        type_=BigInteger(),
    )
)
_unsalt = update(audit_entries).where(in_param(audit_entries.c.id, "ids")).values(salt=None)
_remove_subjects = delete(audit_subjects).where(in_param(audit_subjects.c.entry_id, "ids"))
_remove_on_sqlite = delete(audit_entries).where(in_param(audit_entries.c.id, "ids"))
_remove_on_postgres = select(
    func.haulier_remove_audit_entries(bindparam("ids", type_=ArrayParam(BigInteger())), type_=BigInteger())
)
_these = select(audit_entries).where(in_param(audit_entries.c.id, "ids"))


async def erase_entries(call: Call, changes: Sequence[Mapping[str, Any]]) -> None:
    """Erase contents of entries and record the erasure with the new digests."""
    by_id = {change["key_id"]: change for change in changes}
    if not by_id:
        return
    subjects = await list_entry_subjects(call.work, by_id)
    rows: list[dict[str, Any]] = []
    digests: dict[int, str] = {}
    for row in await call.work.all(_these, ids=list(by_id)):
        change = by_id[row.id]
        erased = row._asdict() | {name: change.get(f"new_{name}", getattr(row, name)) for name in ERASABLE}
        digests[row.id] = digest_entry(erased | {"salt": None}, subjects.get(row.id, ()))
        rows.append({"entry": row.id, **{f"new_{name}": erased[name] for name in ERASABLE}})
    await call.work.run_many(_erase_on_sqlite if call.work.on_sqlite else _erase_on_postgres, rows)
    await record_audit_entry(call, ERASED_ENTRIES, ErasedEntries(digests=digests), "system")


async def remove_entries(call: Call, ids: Collection[int], before: datetime) -> None:
    """Delete entries after their retention period, with their subjects, and record it."""
    if not ids:
        return
    if call.work.on_sqlite:
        for statement in (_unsalt, _remove_subjects, _remove_on_sqlite):
            await call.work.run(statement, ids=list(ids))
    else:
        await call.work.value(_remove_on_postgres, ids=list(ids))
    removed = RemovedEntries(entries=len(ids), before_s=int(before.timestamp()))
    await record_audit_entry(call, REMOVED_ENTRIES, removed, "system")


def _is_about(keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition of entries about a person's records or with their contacts."""
    about = select(audit_subjects.c.entry_id)
    known = [(key.value, sorted(keys[key])) for key in RECORDS if keys.get(key)]
    kinds = [(audit_subjects.c.kind == kind) & audit_subjects.c.subject_id.in_(ids) for kind, ids in known]
    contacts = [text for key in (PersonKey.EMAIL, PersonKey.PHONE) for text in sorted(keys.get(key, ()))]
    request = func.lower(cast(audit_entries.c.request, Text))
    named = [request.contains(text, autoescape=True) for text in contacts]
    found = any_of([*([audit_entries.c.id.in_(about.where(or_(*kinds)))] if kinds else []), *named])
    # Exclude digests: the digits of a phone number may occur in them.
    return None if found is None else found & (audit_entries.c.operation != ERASED_ENTRIES)


def _is_own(keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition of entries by a person about other records."""
    own, about = key_in(audit_entries.c.user_id, PersonKey.USER, keys), _is_about(keys)
    return own if own is None or about is None else own & ~about


def _unless_own(name: str) -> Any:
    return lambda row, keys: None if row.user_id in keys.get(PersonKey.USER, ()) else getattr(row, name)


OWN_PLACE = {"address": _unless_own("address"), "agent": _unless_own("agent")}
SEALED = frozenset({"salt", "digest"})
personal_data(
    audit_entries,
    RecordKind.AUDIT_TRAIL,
    find=_is_about,
    goes_with=frozenset({RecordKind.ORDER_CONTACTS, RecordKind.PROOFS}),
    erased={**OWN_PLACE, "request": lambda row, keys: redacted(row.request)},
    write=erase_entries,
    secret=SEALED,
    plain=("operation", "account", "door", "request_id", *SEALED),
)
personal_data(audit_entries, RecordKind.AUDIT_TRAIL, find=_is_own, erased=OWN_PLACE, write=erase_entries, secret=SEALED)
plain_columns(audit_subjects, "kind")
retained(
    RecordKind.AUDIT_TRAIL,
    audit_entries.c.at,
    children=(audit_subjects.c.entry_id,),
    remove=remove_entries,
    default_days=1095,
    minimum_days=90,
)
