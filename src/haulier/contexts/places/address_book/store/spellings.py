"""The words of the address book under what is left of them without a letter, by which mistyped ones are found."""

from collections.abc import Collection

from sqlalchemy import Column, ColumnElement, String, UniqueConstraint, select

from haulier.contexts.places.geocoding.rules.spellings import MAX_LETTERS, spelling_keys
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, RecordKind, personal_data
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.words import fold_words

spellings = tenant_table(
    "address_spelling",
    Column("spelling_key", String(MAX_LETTERS), nullable=False),
    Column("word", String(MAX_LETTERS), nullable=False),
    UniqueConstraint("client_id", "spelling_key", "word"),
)
spellings.info["derived"] = True


def _of_person(keys: PersonKeys) -> ColumnElement[bool] | None:
    """The words of a person's names. Others who are called so are still found, if only as they are written."""
    words = fold_words(*(str(name) for name in keys.get(PersonKey.NAME, ())))
    return spellings.c.word.in_(words) if words else None


personal_data(spellings, RecordKind.ADDRESS_BOOK, find=_of_person)

_words = select(spellings.c.spelling_key, spellings.c.word).where(in_param(spellings.c.spelling_key, "keys"))


class SpellingRow(Row):
    """A word under one of its keys."""

    spelling_key: str
    word: str


async def find_spellings(work: UnitOfWork, keys: Collection[str]) -> list[SpellingRow]:
    """The words under some keys."""
    return await work.all(_words, SpellingRow, keys=list(keys)) if keys else []


async def learn_words(work: UnitOfWork, words: Collection[str]) -> None:
    """Keep the words that are not known yet."""
    known = {row.word for row in await find_spellings(work, words) if row.word == row.spelling_key}
    rows = [{"spelling_key": key, "word": word} for word in sorted({*words} - known) for key in spelling_keys(word)]
    await work.insert_new(spellings, rows)
