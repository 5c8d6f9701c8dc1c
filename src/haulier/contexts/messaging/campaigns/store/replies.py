"""What recipients answered."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, func, or_, select

from haulier.contexts.messaging.campaigns.store.tables import SmsReplyRow, replies
from haulier.kernel.data.unit_of_work import UnitOfWork

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


async def count_open_questions(work: UnitOfWork, key: str) -> int:
    """How many answers of a number may mean STOP and were read by nobody."""
    return await work.value(_open, key=key)


async def list_reply_rows(
    work: UnitOfWork, needs_person: bool | None, *, limit: int, offset: int
) -> tuple[list[SmsReplyRow], int]:
    """Return a page of answers, newest first, and how many there are."""
    rows = await work.all(_page, SmsReplyRow, needs_person=needs_person, count=limit, skipped=offset)
    return rows, await work.value(_count, needs_person=needs_person)
