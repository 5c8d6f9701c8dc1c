"""Full-text queries for words and prefixes."""

import pytest
from sqlalchemy.dialects import postgresql, sqlite

from haulier.contexts.places.geocoding.store import open_addresses
from haulier.kernel.data.full_text import _PARTS, SQLITE_BEGINNINGS, WordQuery, full_text_ddl, owner_prefix, spelled
from haulier.kernel.data.table_statistics import refresh_statistics

OWNER = owner_prefix(17)
POSTGRES, SQLITE = (WordQuery().bind_processor(each.dialect()) for each in (postgresql, sqlite))


def on_postgresql(*words: str, whole: int = 0) -> tuple[str, str]:
    """Return the index query and the row patterns, without the owner prefix."""
    sought, _, patterns = POSTGRES(spelled(words, OWNER, whole=whole)).replace(OWNER, "").partition(_PARTS)
    return sought, patterns


@pytest.mark.parametrize(
    ("typed", "sought", "looked_up"),
    [
        ("s", "('s')", ""),
        ("st", "('st*')", ""),
        ("stree", "('stre*')", "(^| )(stree)"),
        ("street12", "('street12*')", ""),
        ("street1234", "('street1234':*)", ""),
    ],
)
def test_a_prefix_uses_the_longest_stored_one_and_a_long_one_alone_is_matched_as_typed(
    typed: str, sought: str, looked_up: str
) -> None:
    assert on_postgresql(typed) == (sought, looked_up)


def test_a_long_prefix_with_other_words_is_matched_in_the_row() -> None:
    assert on_postgresql("queen", "boulevard") == ("('quee*') & ('boulevar*')", "(^| )(queen)\x1e(^| )(boulevard)")
    assert on_postgresql("queen", "boulevard", whole=1) == ("('queen') & ('boulevar*')", "(^| )(boulevard)")


def test_sqlite_stores_every_usual_prefix() -> None:
    assert SQLITE(spelled(["queen", "stre"], OWNER, whole=1)) == f'("{OWNER}queen") AND ("{OWNER}stre" *)'
    (made, *_) = full_text_ddl(open_addresses, sqlite.dialect())
    lengths = " ".join(str(len(OWNER) + length) for length in SQLITE_BEGINNINGS)
    assert tuple(range(2, 9)) == SQLITE_BEGINNINGS
    assert f"prefix='{lengths}'" in made


async def test_statistics_are_collected_where_the_database_needs_them(database) -> None:
    async with database.write(None) as work:
        await refresh_statistics(work, open_addresses)
        await refresh_statistics(work)
