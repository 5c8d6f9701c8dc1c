"""The tables of views, and of the views that lists open with."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, String, UniqueConstraint, and_, bindparam, delete, func, select, update

from haulier.contexts.identity.saved_views.rules import EVERYBODY, NAME_MAX, NOUN_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.folded_text import has_words

views = tenant_table(
    "saved_view",
    Column("noun", String(NOUN_MAX), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("filters", Json, nullable=False),
    Column("columns", Json, nullable=False),
    Column("kept_for", Id, nullable=False),
    Column("made_by", Id, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "kept_for", "noun", "name"),
)
"""`kept_for`: the user, or `EVERYBODY`."""
personal_data(views, RecordKind.USERS, by={"kept_for": PersonKey.USER})

first_views = tenant_table(
    "first_view",
    Column("user_id", Id, nullable=False),
    Column("noun", String(NOUN_MAX), nullable=False),
    Column("view_id", Id, nullable=False, index=True),
    UniqueConstraint("client_id", "user_id", "noun"),
)
personal_data(first_views, RecordKind.USERS, by={"user_id": PersonKey.USER})


class SavedViewRow(Row):
    """A view, and whether its list opens with it."""

    id: int
    noun: str
    name: str
    filters: dict[str, list[str]]
    columns: list[str]
    kept_for: int
    made_by: int
    created_at: datetime
    updated_at: datetime
    first: bool


_chosen = and_(first_views.c.view_id == views.c.id, first_views.c.user_id == bindparam("user"))
_seen = views.c.kept_for.in_([bindparam("user"), EVERYBODY])
_with_choice = (
    select(views, first_views.c.id.is_not(None).label("first")).join(first_views, _chosen, isouter=True).where(_seen)
)
_one = _with_choice.where(views.c.id == bindparam("view"))
_locked = _one.with_for_update(of=views)
_of_noun = views.c.noun == bindparam("noun")
_in_order = (views.c.noun, views.c.kept_for == EVERYBODY, func.lower(views.c.name), views.c.id)
_kept = (
    select(func.count())
    .select_from(views)
    .where(views.c.kept_for == bindparam("whose"), views.c.noun == bindparam("noun"))
)
_delete = delete(views).where(views.c.id == bindparam("view"))
_forget = delete(first_views).where(first_views.c.view_id == bindparam("view"))
_forget_own = _forget.where(first_views.c.user_id == bindparam("user"))
_remove_others = _forget.where(first_views.c.user_id != bindparam("user"))


async def insert_view(work: UnitOfWork, **values: Any) -> int:
    """Write a view. Returns its id. Raises `UniqueConflict` when the name is taken."""
    return await work.insert(views, **values)


async def get_view(work: UnitOfWork, view_id: int, user_id: int, *, lock: bool = False) -> SavedViewRow | None:
    """Return a view that a user sees, or None."""
    return await work.first(_locked if lock else _one, SavedViewRow, view=view_id, user=user_id)


async def list_view_rows(
    work: UnitOfWork, user_id: int, *, noun: str | None, text: str | None, limit: int, offset: int
) -> tuple[Sequence[SavedViewRow], int]:
    """Return a page of the views that a user sees, and how many there are in all."""
    params = {"noun": noun} if noun else {}
    clauses = [*([_of_noun] if noun else []), *([has_words(text, views.c.name)] if text else [])]
    listed = (
        _with_choice.where(*clauses).order_by(*_in_order).limit(bindparam("page_size")).offset(bindparam("skipped"))
    )
    rows = await work.all(listed, SavedViewRow, user=user_id, **params, page_size=limit, skipped=offset)
    counted = select(func.count()).select_from(views).where(_seen, *clauses)
    return rows, await work.value(counted, user=user_id, **params)


async def count_views(work: UnitOfWork, noun: str, kept_for: int) -> int:
    """Return the number of views of a list for a user, or of shared ones."""
    return await work.value(_kept, whose=kept_for, noun=noun)


async def update_view(work: UnitOfWork, view_id: int, **values: Any) -> None:
    """Change columns of a view. Raises `UniqueConflict` when the name is taken."""
    await work.run(update(views).where(views.c.id == bindparam("view")).values(**values), view=view_id)


async def delete_view(work: UnitOfWork, view_id: int) -> None:
    """Delete a view; lists that opened with it open without one."""
    await work.run(_forget, view=view_id)
    await work.run(_delete, view=view_id)


async def choose_first(work: UnitOfWork, view: SavedViewRow, user_id: int) -> None:
    """Set a view as a user's default of its list."""
    await work.upsert(first_views, ("user_id", "noun"), user_id=user_id, noun=view.noun, view_id=view.id)


async def delete_first(work: UnitOfWork, view_id: int, user_id: int) -> None:
    """Unset a view as a user's default."""
    await work.run(_forget_own, view=view_id, user=user_id)


async def delete_first_of_others(work: UnitOfWork, view_id: int, user_id: int) -> None:
    """Unset a view as the default of all users but one."""
    await work.run(_remove_others, view=view_id, user=user_id)
