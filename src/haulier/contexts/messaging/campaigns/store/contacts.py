"""Tables and statements of campaigns: contacts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, and_, bindparam, func, literal, literal_column, or_, select, update
from sqlalchemy.sql.selectable import FromClause

from haulier.contexts.messaging.campaigns.rules.campaigns import AudienceRules
from haulier.contexts.messaging.campaigns.store.tables import (
    SmsConsentRow,
    SmsContactRow,
    SmsSuppressionRow,
    consents,
    contacts,
    import_rows,
    imports,
    suppressions,
)
from haulier.kernel.data.statements import Row, contains, contains_pattern, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.row_imports import RowImport, RowImports
from haulier.kernel.values.folded_text import has_words
from haulier.kernel.values.pagination import MAX_COUNT

_consent_of_number = (
    select(consents)
    .where(consents.c.number_key == bindparam("key"))
    .order_by(consents.c.id.desc())
    .limit(bindparam("count"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(consents).where(consents.c.number_key == bindparam("key"))


async def list_consent_rows(work: UnitOfWork, key: str, *, limit: int, offset: int) -> tuple[list[SmsConsentRow], int]:
    """Return a page of a number's consents and revocations, newest first.

    And their number.
    """
    rows = await work.all(_consent_of_number, SmsConsentRow, key=key, count=limit, skipped=offset)
    return rows, await work.value(_count, key=key)


class SmsImportHeader(RowImport):
    """An import; `consent` is what is said of every row that says nothing itself."""

    consent: dict[str, Any] | None
    created_by: int | None


contact_imports = RowImports(imports, import_rows, SmsImportHeader)


EVERYTHING = "all"
"""The list of suppressions that holds for every purpose."""


def asked_for_each(rows: Select[Any]) -> ColumnElement[bool]:
    """Return the condition that such a row exists, by an index lookup per row.

    PostgreSQL takes tables without statistics for empty, as after an import. It then joins row by row: a claim of 50
    messages among 2,000 contacts took over five minutes. An OFFSET keeps the subquery separate.
    """
    return rows.offset(literal_column("0")).exists()


def has_consent(of: Table | FromClause, purpose: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the condition of a valid consent to a purpose.

    Parameters: `now`, `sufficient`. The consent has one of the `sufficient` keys (country, purpose, basis), was given,
    has not ended, and was not revoked since. A revocation of the same moment counts.
    """
    given, revoked = consents.alias("given"), consents.alias("revoked")
    later = select(revoked.c.id).where(
        revoked.c.number_key == given.c.number_key,
        revoked.c.purpose == given.c.purpose,
        revoked.c.granted.is_(False),
        revoked.c.occurred_at >= given.c.occurred_at,
    )
    now = bindparam("now", type_=consents.c.occurred_at.type)
    return asked_for_each(
        select(given.c.id)
        .where(
            given.c.number_key == of.c.number_key,
            given.c.purpose == purpose,
            given.c.granted.is_(True),
            given.c.occurred_at <= now,
            or_(given.c.expires_at.is_(None), given.c.expires_at > now),
            in_param(given.c.consent_key, "sufficient"),
            ~asked_for_each(later.correlate(given)),
        )
        .correlate(of)
    )


def is_suppressed(of: Table | FromClause, purpose: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the condition that a number is suppressed for everything or a purpose."""
    held = suppressions.alias("held")
    return asked_for_each(
        select(held.c.id)
        .where(
            held.c.number_key == of.c.number_key,
            held.c.lifted_at.is_(None),
            or_(held.c.list == EVERYTHING, held.c.list == purpose),
        )
        .correlate(of)
    )


def may_receive(of: Table | FromClause, purpose: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the condition that a message of a purpose may be sent to a number now."""
    return and_(has_consent(of, purpose), ~is_suppressed(of, purpose))


class SmsRights(Row):
    """Consent of a contact to a purpose, and its suppression."""

    id: int
    consented: bool
    suppressed: bool


class ReachRow(Row):
    """Number of contacts by language and country, and of those who can be reached."""

    language: str
    country: str
    contacts: int
    reachable: int


_by_key = select(contacts).where(in_param(contacts.c.number_key, "keys"))


def tag_columns(tags: Sequence[str]) -> dict[str, Any]:
    """Return the two columns that hold tags.

    In `tag_words` each stands between line breaks.
    """
    return {"tags": list(tags), "tag_words": "".join(f"\n{tag}\n" for tag in tags)}


async def insert_contact(work: UnitOfWork, values: Mapping[str, Any], tags: Sequence[str]) -> int:
    """Insert a contact and return the id.

    Raises `UniqueConflict` if the number exists.
    """
    return await work.insert(contacts, **values, **tag_columns(tags))


async def update_contact_row(work: UnitOfWork, contact_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a contact."""
    changed = {**values, **tag_columns(values["tags"])} if "tags" in values else dict(values)
    statement = update(contacts).where(contacts.c.id == bindparam("contact")).values(**changed)
    await work.run(statement, contact=contact_id)


async def get_contacts_by_key(work: UnitOfWork, keys: Collection[str]) -> dict[str, SmsContactRow]:
    """Contacts by the key of their number."""
    rows = await work.all(_by_key, SmsContactRow, keys=sorted(keys)) if keys else []
    return {row.number_key: row for row in rows}


def _matching(rules: AudienceRules) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if rules.languages:
        found.append(contacts.c.language.in_(sorted(rules.languages)))
    if rules.countries:
        found.append(contacts.c.country.in_(sorted(rules.countries)))
    found += [_tagged(tag) for tag in rules.tags_all]
    if rules.tags_any:
        found.append(or_(*(_tagged(tag) for tag in rules.tags_any)))
    found += [~_tagged(tag) for tag in rules.tags_none]
    if rules.created_after:
        found.append(contacts.c.created_at > rules.created_after)
    return found


def _tagged(tag: str) -> ColumnElement[bool]:
    return contacts.c.tag_words.like(contains_pattern(f"\n{tag}\n"), escape="/")


def _rights(purpose: str, now: datetime, sufficient: Sequence[str]) -> tuple[ColumnElement[str], dict[str, Any]]:
    return literal(purpose), {"now": now, "sufficient": list(sufficient)}


_CONTACTS_FILTERS: dict[str, ColumnElement[bool]] = {
    "tag": contains(contacts.c.tag_words, "tag"),
    "language": contacts.c.language == bindparam("language"),
    "country": contacts.c.country == bindparam("country"),
}


async def list_contact_rows(
    work: UnitOfWork, filters: Mapping[str, str], *, limit: int, offset: int
) -> tuple[list[SmsContactRow], int]:
    """Return a page of contacts, newest first, and the number of matches.

    Counted up to `MAX_COUNT` + 1.
    """
    params = dict(filters)
    text = params.pop("search", None)
    clauses = [_CONTACTS_FILTERS[name] for name in params]
    clauses += [has_words(text, contacts.c.name, contacts.c.phone)] if text else []
    if "tag" in params:
        params["tag"] = contains_pattern(f"\n{params['tag']}\n")

    def of(statement: Select[Any]) -> Select[Any]:
        return statement.where(*clauses)

    page = of(select(contacts)).order_by(contacts.c.id.desc()).limit(bindparam("count")).offset(bindparam("skipped"))
    rows = await work.all(page, SmsContactRow, **params, count=limit, skipped=offset)
    first = of(select(contacts.c.id)).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(first), **params)


async def read_rights(
    work: UnitOfWork, ids: Collection[int], purpose: str, now: datetime, sufficient: Sequence[str]
) -> dict[int, SmsRights]:
    """Return the consents of some contacts, by id."""
    wanted, params = _rights(purpose, now, sufficient)
    statement = select(
        contacts.c.id,
        has_consent(contacts, wanted).label("consented"),
        is_suppressed(contacts, wanted).label("suppressed"),
    ).where(in_param(contacts.c.id, "ids"))
    rows = await work.all(statement, SmsRights, ids=list(ids), **params) if ids else []
    return {row.id: row for row in rows}


async def list_audience(work: UnitOfWork, rules: AudienceRules, after: int, count: int) -> list[SmsContactRow]:
    """Return the next contacts of a segment by id."""
    statement = (
        select(contacts)
        .where(contacts.c.id > bindparam("after"), *_matching(rules))
        .order_by(contacts.c.id)
        .limit(bindparam("count"))
    )
    return await work.all(statement, SmsContactRow, after=after, count=count)


async def count_reach(
    work: UnitOfWork, rules: AudienceRules, purpose: str, now: datetime, sufficient: Sequence[str]
) -> list[ReachRow]:
    """Return the number of contacts of a segment, and of those who can be reached.

    By language and country.
    """
    wanted, params = _rights(purpose, now, sufficient)
    statement = (
        select(
            contacts.c.language,
            contacts.c.country,
            func.count().label("contacts"),
            func.count().filter(may_receive(contacts, wanted)).label("reachable"),
        )
        .where(*_matching(rules))
        .group_by(contacts.c.language, contacts.c.country)
        .order_by(contacts.c.language, contacts.c.country)
    )
    return await work.all(statement, ReachRow, **params)


async def list_countries(work: UnitOfWork) -> list[str]:
    """Return the countries of all contacts."""
    return [row.country for row in await work.all(select(contacts.c.country).distinct())]


_in_force = suppressions.c.lifted_at.is_(None)
_suppression_of_number = select(suppressions).where(suppressions.c.number_key == bindparam("key"), _in_force)
_lift = (
    update(suppressions)
    .where(suppressions.c.number_key == bindparam("key"), in_param(suppressions.c.reason, "reasons"), _in_force)
    .values(lifted_at=bindparam("now"), lifted_by=bindparam("by"), lift_reason=bindparam("why"))
)
_everything = (
    select(suppressions.c.id)
    .where(suppressions.c.number_key == bindparam("key"), suppressions.c.list == EVERYTHING, _in_force)
    .limit(1)
)
_SUPPRESSIONS_FILTERS: dict[str, ColumnElement[bool]] = {
    "list": suppressions.c.list == bindparam("list"),
    "key": suppressions.c.number_key == bindparam("key"),
}


async def insert_suppression(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Put a number on a list; one that is there for the same reason stays as it is."""
    await work.insert_new(suppressions, [values])


async def list_suppressions_of(work: UnitOfWork, key: str) -> list[SmsSuppressionRow]:
    """Return the suppressions of a number."""
    return await work.all(_suppression_of_number, SmsSuppressionRow, key=key)


async def lift_suppressions(
    work: UnitOfWork, key: str, reasons: Collection[str], now: datetime, by: int | None, why: str
) -> int:
    """Take a number off the lists that it is on for some reasons. Returns how many."""
    return await work.run(_lift, key=key, reasons=list(reasons), now=now, by=by, why=why)


async def is_wholly_suppressed(work: UnitOfWork, key: str) -> bool:
    """Return True if a number is suppressed for everything."""
    return await work.first(_everything, key=key) is not None


async def list_suppression_rows(
    work: UnitOfWork, filters: Mapping[str, Any], *, in_force: bool, limit: int, offset: int
) -> tuple[list[SmsSuppressionRow], int]:
    """Return a page of suppressions, newest first, and how many match.

    Filters: the keys of `_FILTERS`.
    """
    conditions = [_SUPPRESSIONS_FILTERS[name] for name in filters] + ([_in_force] if in_force else [])
    listed = select(suppressions).where(*conditions).order_by(suppressions.c.id.desc())
    page = listed.limit(bindparam("count")).offset(bindparam("skipped"))
    rows = await work.all(page, SmsSuppressionRow, **filters, count=limit, skipped=offset)
    counted = select(func.count()).select_from(suppressions).where(*conditions)
    return rows, await work.value(counted, **filters)
