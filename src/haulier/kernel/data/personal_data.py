"""Declarations of personal data per table.

They say how a person's rows are found and what an erasure does to them.

Retention, exports and erasures are driven by these declarations, so a new table takes part once it is declared, and
no context imports another one's store. `tests/invariants/test_personal_data.py` fails for undeclared columns that
could hold personal data.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct
from sqlalchemy import Column, ColumnElement, Float, LargeBinary, MetaData, String, Table, func, or_

from haulier.kernel.data.tables import Json, declare_all_tables, metadata

ERASED = "[erased]"
"""Replacement for erased text in required columns."""
MAX_PHONE_DIGITS = 9
"""Phone numbers are compared by at most this many last digits, so that country codes and trunk zeros do not matter."""
MIN_PHONE_DIGITS = 7
"""Fewer digits are a house number or a postal code."""


class PersonKey(StrEnum):
    """Keys that link rows to a person.

    Keys that name a record are its kind in the audit trail.
    """

    USER = "user"
    DRIVER = "driver"
    DRIVER_REGISTRATION = "driver_registration"
    ORDER = "order"
    SHIPMENT = "shipment"
    STOP = "stop"
    ROUTE = "route"
    PARCEL = "parcel"
    INBOUND_PARCEL = "inbound_parcel"
    LABEL_PARSE = "label_parse"
    ORDER_CHAT = "order_chat"
    TRACKING_NUMBER = "tracking_number"
    NAME = "name"
    EMAIL = "email"
    PHONE = "phone"


class RecordKind(StrEnum):
    """Kinds of personal data, as used by retention, exports and erasures."""

    USERS = "users"
    SIGN_INS = "sign_ins"
    DRIVERS = "drivers"
    DRIVER_DOCUMENTS = "driver_documents"
    DRIVER_POSITIONS = "driver_positions"
    DRIVER_EVENTS = "driver_events"
    ROUTES = "routes"
    ROUTE_PLANS = "route_plans"
    PLAN_SEARCHES = "plan_searches"
    ORDER_CONTACTS = "order_contacts"
    ORDER_IMPORTS = "order_imports"
    DATASET_RECORDS = "dataset_records"
    DATASET_IMPORTS = "dataset_imports"
    ADDRESS_BOOK = "address_book"
    ADDRESS_IMPORTS = "address_imports"
    SHIPMENTS = "shipments"
    SHIPPING_QUOTES = "shipping_quotes"
    STORAGE_ORDERS = "storage_orders"
    STORAGE_QUOTES = "storage_quotes"
    DEVICE_ORDERS = "device_orders"
    INBOUND_PARCELS = "inbound_parcels"
    LABEL_PARSES = "label_parses"
    LOCKER_PARCELS = "locker_parcels"
    LUGGAGE_BOOKINGS = "luggage_bookings"
    LOCKER_LEASES = "locker_leases"
    SMS_CONTACTS = "sms_contacts"
    SMS_MESSAGES = "sms_messages"
    SMS_IMPORTS = "sms_imports"
    PROOFS = "proofs"
    MESSAGES = "messages"
    ORDER_CHATS = "order_chats"
    WEBHOOK_DELIVERIES = "webhook_deliveries"
    REFUSED_PUSHES = "refused_pushes"
    PROPOSED_WRITES = "proposed_writes"
    AGENT_CONVERSATIONS = "agent_conversations"
    IDEMPOTENCY_ANSWERS = "idempotency_answers"
    AUDIT_TRAIL = "audit_trail"


PersonKeys = Mapping[PersonKey, frozenset[Any]]
"""Known keys of one or more people: ids, lower-case email addresses, phone numbers, names."""
Find = Callable[[PersonKeys], ColumnElement[bool] | None]


class PersonalData(Struct, frozen=True, kw_only=True):
    """Declaration that a table holds personal data.

    `find` returns the condition of a person's rows, or None if no known key leads to any; `matches` then filters the
    rows. `gives` maps columns to keys that lead to other tables. `erased` gives the values after an erasure. None
    deletes the rows, with `remove` if more than the row must go. `in_use` is the condition of rows that are still
    needed. `secret` columns, digests and bytes are not exported. `goes_with` are other kinds whose retention also
    erases these copies. `write` stores erased values of rows that a plain UPDATE cannot change.
    """

    table: Table
    kind: RecordKind
    find: Find
    matches: Callable[[Any, PersonKeys], bool] | None = None
    gives: Mapping[str, PersonKey] = {}
    erased: Mapping[str, Any] | None = None
    remove: Callable[[Any, Collection[int]], Awaitable[None]] | None = None
    write: Callable[[Any, Sequence[Mapping[str, Any]]], Awaitable[None]] | None = None
    in_use: ColumnElement[bool] | None = None
    secret: frozenset[str] = frozenset()
    goes_with: frozenset[RecordKind] = frozenset()
    export: Callable[[Any, PersonKeys], dict[str, Any]] | None = None


class RetentionRule(Struct, frozen=True, kw_only=True):
    """Retention period of one kind of record, in days since the column `since`.

    Without a `root`, the rows are deleted after those of `children`, which reference them. With a `root`, the rows
    stay and the personal data linked to them is erased. `remove` deletes rows that a plain DELETE cannot.
    """

    kind: RecordKind
    since: Column[Any]
    default_days: int
    minimum_days: int = 1
    only: ColumnElement[bool] | None = None
    children: tuple[Column[Any], ...] = ()
    remove: Callable[[Any, Collection[int], datetime], Awaitable[None]] | None = None
    root: PersonKey | None = None


_PLAIN, _HELD, _RETAINED = "plain_columns", "personal_data", "retention"


def plain_columns(table: Table, *names: str) -> None:
    """Declare columns without personal data. Raises `KeyError` for an unknown column."""
    table.info.setdefault(_PLAIN, set()).update(table.c[name].name for name in names)


def personal_data(
    table: Table,
    kind: RecordKind,
    *,
    by: Mapping[str, PersonKey] | None = None,
    find: Find | None = None,
    plain: Iterable[str] = (),
    **options: Any,
) -> PersonalData:
    """Declare the personal data of a table.

    `by` maps columns to keys, unless `find` is given.

    `options` are other fields of `PersonalData`.
    """
    held = PersonalData(table=table, kind=kind, find=find or _found_by(table, by or {}), **options)
    table.info.setdefault(_HELD, []).append(held)
    plain_columns(table, *plain)
    return held


def retained(kind: RecordKind, since: Column[Any], **options: Any) -> RetentionRule:
    """Declare a retention period; `options` are fields of `RetentionRule`."""
    rule = RetentionRule(kind=kind, since=since, **options)
    since.table.info.setdefault(_RETAINED, []).append(rule)
    return rule


def list_personal_data(metadata: MetaData = metadata) -> list[PersonalData]:
    """Return all declarations, including those of modules that are not loaded."""
    declare_all_tables()
    return [held for table in metadata.sorted_tables for held in table.info.get(_HELD, ())]


def list_retention_rules(metadata: MetaData = metadata) -> list[RetentionRule]:
    """Return all retention rules, including those of unloaded modules.

    A kind may have several.
    """
    declare_all_tables()
    return [rule for table in metadata.sorted_tables for rule in table.info.get(_RETAINED, ())]


def retention_days(kind: RecordKind, chosen: Mapping[str, int]) -> int:
    """Return a client's retention period for a kind in days.

    Raises `KeyError` without a rule.
    """
    return chosen.get(kind.value) or {rule.kind: rule.default_days for rule in list_retention_rules()}[kind]


def list_undeclared_columns(metadata: MetaData = metadata) -> list[str]:
    """Return undeclared columns that could hold personal data.

    These are columns of text, documents, bytes and coordinates.
    """
    rules = list_retention_rules(metadata)
    return [
        f"{table.name}.{column.name}"
        for table in metadata.sorted_tables
        for column in table.c
        if isinstance(column.type, String | Json | LargeBinary | Float) and not _is_declared(column, rules)
    ]


def _is_declared(column: Column[Any], rules: Iterable[RetentionRule]) -> bool:
    """Return True if a column is declared, or its whole row is deleted."""
    table = column.table
    held: list[PersonalData] = table.info.get(_HELD, [])
    deleted = [rule for rule in rules if rule.root is None]
    return (
        column.name in table.info.get(_PLAIN, ())
        or any(each.erased is None or column.name in each.erased for each in held)
        or any(table in (rule.since.table, *(child.table for child in rule.children)) for rule in deleted)
    )


def _found_by(table: Table, by: Mapping[str, PersonKey]) -> Find:
    def find(keys: PersonKeys) -> ColumnElement[bool] | None:
        return any_of(key_in(table.c[name], key, keys) for name, key in by.items())

    return find


def any_of(conditions: Iterable[ColumnElement[bool] | None]) -> ColumnElement[bool] | None:
    """Combine conditions with OR, ignoring None. Returns None if there are none."""
    given = [condition for condition in conditions if condition is not None]
    return or_(*given) if given else None


def key_in(column: ColumnElement[Any], key: PersonKey, keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition that a column holds a known value, or None.

    Phone numbers match in any notation.
    """
    values = keys.get(key)
    if not values:
        return None
    if key is PersonKey.PHONE:
        bare = _without_phone_marks(column)
        return or_(*(bare.like(f"%{digits}") for digits in sorted(filter(None, map(phone_digits, values)))))
    return (func.lower(column, type_=String) if key is PersonKey.EMAIL else column).in_(sorted(values))


def phone_digits(phone: str | None) -> str:
    """Return the last digits of a phone number for comparison, or an empty text."""
    digits = "".join(c for c in phone or "" if c.isdecimal())
    return digits[-MAX_PHONE_DIGITS:] if len(digits) >= MIN_PHONE_DIGITS else ""


def _without_phone_marks(column: ColumnElement[Any]) -> ColumnElement[Any]:
    for mark in "+-./() ":
        column = func.replace(column, mark, "", type_=String)
    return column


def with_keys(keys: PersonKeys, more: Mapping[PersonKey, Iterable[Any]]) -> PersonKeys:
    """Add keys to known keys.

    Normalizes email addresses and ignores empty and erased values.
    """
    known = {key: set(values) for key, values in keys.items()}
    for key, values in more.items():
        known.setdefault(key, set()).update(_normalized(key, value) for value in values if value and value != ERASED)
    return {key: frozenset(values) for key, values in known.items() if values}


def _normalized(key: PersonKey, value: Any) -> Any:
    return value.strip().lower() if key is PersonKey.EMAIL else value


def redacted(document: Any) -> Any:
    """Replace all text and coordinates in a document; its structure and integers stay."""
    if isinstance(document, Mapping):
        return {name: redacted(value) for name, value in document.items()}
    if isinstance(document, list):
        return [redacted(value) for value in document]
    return ERASED if isinstance(document, str) else None if isinstance(document, float) else document
