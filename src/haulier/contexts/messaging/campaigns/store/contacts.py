"""Contacts, and the segments that they are chosen by."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, literal, or_, select, update

from haulier.contexts.messaging.campaigns.rules.audience import AudienceRules
from haulier.contexts.messaging.campaigns.store.rights import has_consent, is_suppressed, may_receive
from haulier.contexts.messaging.campaigns.store.tables import SmsContactRow, contacts
from haulier.kernel.data.statements import Row, contains, contains_pattern, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.folded_text import has_words
from haulier.kernel.values.pagination import MAX_COUNT


class SmsRights(Row):
    """Whether a contact consented to a purpose, and whether it is suppressed."""

    id: int
    consented: bool
    suppressed: bool


class ReachRow(Row):
    """How many contacts of one language and country there are, and how many of them texts may go to."""

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
    """Write a contact. Returns the id; raises `UniqueConflict` where the number is there."""
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


_FILTERS: dict[str, ColumnElement[bool]] = {
    "tag": contains(contacts.c.tag_words, "tag"),
    "language": contacts.c.language == bindparam("language"),
    "country": contacts.c.country == bindparam("country"),
}


async def list_contact_rows(
    work: UnitOfWork, filters: Mapping[str, str], *, limit: int, offset: int
) -> tuple[list[SmsContactRow], int]:
    """Return a page of contacts, newest first, and how many match, up to one more than `MAX_COUNT`."""
    params = dict(filters)
    text = params.pop("search", None)
    clauses = [_FILTERS[name] for name in params]
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
    """What some contacts consented to, by id."""
    wanted, params = _rights(purpose, now, sufficient)
    statement = select(
        contacts.c.id,
        has_consent(contacts, wanted).label("consented"),
        is_suppressed(contacts, wanted).label("suppressed"),
    ).where(in_param(contacts.c.id, "ids"))
    rows = await work.all(statement, SmsRights, ids=list(ids), **params) if ids else []
    return {row.id: row for row in rows}


async def list_audience(work: UnitOfWork, rules: AudienceRules, after: int, count: int) -> list[SmsContactRow]:
    """Return the next contacts of a segment, in the order of their ids."""
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
    """How many contacts of a segment there are, and how many texts may go to, by language and country."""
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
