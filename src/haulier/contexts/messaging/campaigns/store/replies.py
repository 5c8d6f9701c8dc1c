"""What recipients answered."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, or_, select, update

from haulier.contexts.messaging.campaigns.store.tables import replies
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork


class SmsReplyRow(Row):
    """An answer."""

    id: int
    phone: str
    number_key: str
    contact_id: int | None
    campaign_id: int | None
    text: str
    meaning: str
    needs_person: bool
    resolution: str | None
    received_at: datetime
    resolved_at: datetime | None


_by_id = select(replies).where(replies.c.id == bindparam("reply")).with_for_update()
_needs = bindparam("needs_person", type_=replies.c.needs_person.type)
_wanted = or_(_needs.is_(None), replies.c.needs_person == _needs)
_page = (
    select(replies).where(_wanted).order_by(replies.c.id.desc()).limit(bindparam("count")).offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(replies).where(_wanted)
_open = (
    select(func.count())
    .select_from(replies)
    .where(replies.c.number_key == bindparam("key"), replies.c.needs_person.is_(True))
    .where(replies.c.meaning == "in_question")
)


async def insert_reply(work: UnitOfWork, values: Mapping[str, Any]) -> bool:
    """Write an answer; False where it came before."""
    return bool(await work.insert_new(replies, [values], returning=("id",)))


async def update_reply_row(work: UnitOfWork, reply_id: int, values: Mapping[str, Any]) -> None:
    """Change what is known of an answer."""
    await work.run(update(replies).where(replies.c.id == bindparam("reply")).values(**values), reply=reply_id)


async def get_reply_row(work: UnitOfWork, reply_id: int) -> SmsReplyRow | None:
    """Return an answer, locked, or None."""
    return await work.first(_by_id, SmsReplyRow, reply=reply_id)


async def count_open_questions(work: UnitOfWork, key: str) -> int:
    """How many answers of a number may mean STOP and were read by nobody."""
    return await work.value(_open, key=key)


async def list_reply_rows(
    work: UnitOfWork, needs_person: bool | None, *, limit: int, offset: int
) -> tuple[list[SmsReplyRow], int]:
    """Return a page of answers, newest first, and how many there are."""
    rows = await work.all(_page, SmsReplyRow, needs_person=needs_person, count=limit, skipped=offset)
    return rows, await work.value(_count, needs_person=needs_person)
