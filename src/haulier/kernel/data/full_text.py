"""Full-text search with the database's index.

The index is GIN on a `tsvector` in PostgreSQL and FTS5 in SQLite.

A searchable table has a column of words, folded by `fold_words` and prefixed with the owner (`17_queen`), so that a
search only reads the part of the index that belongs to one client.

The index is not declared in the metadata, because each database's is unknown to the other. `full_text_ddl` creates
it, and migrations call that after each step for every table without one (`migrations/env.py`).
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Insert,
    Integer,
    Select,
    Table,
    Text,
    and_,
    bindparam,
    case,
    func,
    insert,
    literal,
    literal_column,
    or_,
    select,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import Boolean, TypeDecorator

from haulier.kernel.data.tables import CLIENT_ID, Id, Placement, TenantKey, is_sqlite, metadata
from haulier.kernel.data.unit_of_work import UnitOfWork

WORDS = "words"
"""Name of the column that is searched."""
INDEX_SUFFIX = "_full_text"
"""Suffix of the names of these indexes. In SQLite the index is a virtual table."""
MIN_PREFIX = 2
"""Shorter words match whole words only, because too many words begin with a single letter."""
_MARK = "full_text"
OWNER_LENGTH = 6
"""Length of the owner prefix of a word."""
BEGINNINGS = (2, 3, 4, 6, 8)
"""Lengths of prefixes that PostgreSQL stores in addition to whole words. For a longer prefix, the longest stored one
is looked up and the rows are filtered. A native prefix search would collect all matching words."""
SQLITE_BEGINNINGS = (2, 3, 4, 5, 6, 7, 8)
"""Lengths of prefixes that SQLite stores. It cannot filter rows and collects prefixes of other lengths."""
_CUT_OFF = "*"
"""Marks a prefix. No word contains it."""
_PARTS, _PATTERNS = "\x1f", "\x1e"
"""Separators in a query for PostgreSQL: between its two parts, and between the patterns of the second part."""


def words_column(**options: Any) -> Column[str]:
    """Return the column of words for a table that is then marked with `full_text`."""
    return Column(WORDS, Text, nullable=False, **options)


def full_text(table: Table) -> Table:
    """Mark a table as searchable by its column `words`."""
    table.info[_MARK] = True
    return table


def search_table(name: str) -> Table:
    """Declare a table with the words of records, keyed by the record's `id`.

    It is under the tenant filter but not under row-level security: PostgreSQL cannot use a full-text index below a
    row policy, because `@@` is not leakproof, and would read all rows of the client
    (docs/decisions/transactions.md). Records are read from their own table, which has a policy.
    """
    table = Table(
        name,
        metadata,
        Column("id", Id, nullable=False, autoincrement=False),
        Column(CLIENT_ID, Id, nullable=False),
        words_column(),
        TenantKey("id"),
    )
    table.info |= {"tenant": True, "placement": Placement.DISTRIBUTED, "row_level_security": False, "derived": True}
    return full_text(table)


async def insert_words(work: UnitOfWork, table: Table, rows: Sequence[tuple[int, str]]) -> None:
    """Insert the words of new records into a search table, by the record's `id`.

    SQLite merges its index at the end of each statement, so inserting row by row takes more than five times as long.
    """
    if not rows:
        return
    if work.on_sqlite:
        await work.run(_insert_at_once(table), rows=msgspec.json.encode(rows).decode())
    else:
        await work.insert_many(table, [{"id": id, WORDS: words} for id, words in rows])


@cache
def _insert_at_once(table: Table) -> Insert:
    row = func.json_each(bindparam("rows", type_=Text)).table_valued("value")
    parts = (func.json_extract(row.c.value, literal_column(f"'$[{index}]'")) for index in (0, 1))
    return insert(table).from_select(["id", WORDS], select(*parts))


def owner_prefix(client_id: int) -> str:
    """Return the prefix of a client's words.

    It has at least five letters or digits, followed by a character that no word contains.
    """
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text, rest = "", client_id
    while rest:
        rest, digit = divmod(rest, 36)
        text = digits[digit] + text
    return f"{text:0>5}_"


class WordQuery(TypeDecorator[Any]):
    """A parameter with words that must all match.

    Each word is a collection of spellings; `queen*` is a prefix.
    """

    impl = Text
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """Return the conversion to the query language of the database."""
        return _to_fts5 if is_sqlite(dialect) else _to_tsquery


def _to_fts5(words: Iterable[Collection[str]]) -> str:
    return " AND ".join("(" + " OR ".join(map(_fts5_word, spellings)) + ")" for spellings in words)


def _fts5_word(word: str) -> str:
    quoted = '"' + word.removesuffix("*").replace('"', '""') + '"'
    return f"{quoted} *" if word.endswith("*") else quoted


def _to_tsquery(words: Iterable[Collection[str]]) -> str:
    """Return the index query and the patterns that the words of a row must match."""
    asked = [[*spellings] for spellings in words]
    alone = len(asked) == 1
    sought = " & ".join("(" + " | ".join(_tsquery_word(each, alone) for each in spellings) + ")" for spellings in asked)
    patterns = [
        _pattern(spellings) for spellings in asked if any(_is_looked_up_in_row(each, alone) for each in spellings)
    ]
    return sought + _PARTS + _PATTERNS.join(patterns)


def _kept_beginning(word: str, alone: bool) -> str | None:
    """Return the longest stored prefix of a prefix search, or None if it is too short.

    Also None for a long prefix that is the only word, because no other word narrows the rows down. For example, the
    codes of a dataset (`street1234`) may share all stored prefixes with tens of thousands of records.
    """
    letters = len(word) - len(_CUT_OFF) - OWNER_LENGTH
    lengths = [length for length in BEGINNINGS if length <= letters]
    if not lengths or (alone and letters > BEGINNINGS[-1]):
        return None
    return word[: OWNER_LENGTH + lengths[-1]]


def _is_looked_up_in_row(word: str, alone: bool) -> bool:
    return word.endswith(_CUT_OFF) and _kept_beginning(word, alone) not in (None, word.removesuffix(_CUT_OFF))


def _pattern(spellings: Iterable[str]) -> str:
    begun = "|".join(
        re.escape(word.removesuffix(_CUT_OFF)) + ("" if word.endswith(_CUT_OFF) else "( |$)") for word in spellings
    )
    return f"(^| )({begun})"


def _tsquery_word(word: str, alone: bool) -> str:
    begun = word.endswith(_CUT_OFF)
    kept = _kept_beginning(word, alone) if begun else None
    sought = f"{kept}{_CUT_OFF}" if kept else word.removesuffix(_CUT_OFF)
    quoted = "'" + sought.replace("\\", "\\\\").replace("'", "''") + "'"
    return f"{quoted}:*" if begun and not kept else quoted


class _Matches(FunctionElement[Any]):
    type = Boolean()
    inherit_cache = True
    # SQLite would otherwise compare the result with `= 1` and read every row instead of the index.
    _is_implicitly_boolean = True


def ids_with_words(table: Table, name: str, limit: int) -> Select[Any]:
    """Return a select of the ids that match the `WordQuery` parameter `name`.

    It returns at most `limit` ids, unordered.

    Raises `TypeError` for a table that is not marked with `full_text`.
    """
    if not table.info.get(_MARK):
        raise TypeError(f"{table.name} has no full-text index")
    query = bindparam(name, type_=WordQuery())
    # With a limit in the same query, PostgreSQL scans rows until enough match, possibly all of them. A materialized
    # CTE uses the index and is still read lazily. SQLite reads its index in order and needs the limit inside.
    found = select(table.c.id).where(_Matches(table.c.id, table.c[WORDS], query, literal_column(str(limit))))
    rows = found.cte(f"found_{name}_{table.name}").prefix_with("MATERIALIZED", dialect="postgresql")
    return select(rows.c.id).limit(limit)


@compiles(_Matches, "sqlite")
def _matches_on_sqlite(element: _Matches, compiler: Any, **kw: Any) -> str:
    id_, words, query, limit = element.clauses
    index = f'"{words.table.name}{INDEX_SUFFIX}"'
    found = f"SELECT rowid FROM {index} WHERE {index} MATCH {compiler.process(query, **kw)}"
    found += f" LIMIT {compiler.process(limit, **kw)}"
    return f"{compiler.process(id_, **kw)} IN ({found})"


@compiles(_Matches, "postgresql")
def _matches_on_postgresql(element: _Matches, compiler: Any, **kw: Any) -> str:
    _, words, query, _ = element.clauses
    column, asked = compiler.process(words, **kw), f"CAST({compiler.process(query, **kw)} AS TEXT)"
    sought, patterns = (f"split_part({asked}, chr({ord(_PARTS)}), {part})" for part in (1, 2))
    in_row = f"{column} ~ ALL (string_to_array({patterns}, chr({ord(_PATTERNS)})))"
    return f"{_vector(column)} @@ CAST({sought} AS TSQUERY) AND {in_row}"


def _vector(column: str) -> str:
    """Return the vector of unparsed words with the stored prefixes of longer ones."""
    begun = [
        rf"regexp_replace({column}, '(\S{{{OWNER_LENGTH + length}}})\S*', '\1{_CUT_OFF}', 'g')" for length in BEGINNINGS
    ]
    every = " || ' ' || ".join([column, *begun])
    return f"array_to_tsvector(string_to_array(btrim({every}), ' '))"


class _Position(FunctionElement[Any]):
    type = Integer()
    inherit_cache = True


@compiles(_Position, "sqlite")
def _position_on_sqlite(element: _Position, compiler: Any, **kw: Any) -> str:
    return f"instr({compiler.process(element.clauses, **kw)})"


@compiles(_Position, "postgresql")
def _position_on_postgresql(element: _Position, compiler: Any, **kw: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **kw)})"


def row_has_words(table: Table, id_column: ColumnElement[Any], words: Sequence[Collection[str]]) -> ColumnElement[bool]:
    """Return a condition that a record's words match, without using the index.

    Used for words that match most rows, for which the index does not help.
    """
    text = literal(" ") + table.c[WORDS] + literal(" ")
    said = [or_(*(_Position(text, literal(_as_in_text(each))) > 0 for each in spellings)) for spellings in words]
    # A scalar subquery, because a database may read a joined table completely.
    return select(case((and_(*said), 1), else_=0)).where(table.c.id == id_column).scalar_subquery() == 1


def _as_in_text(word: str) -> str:
    return f" {word.removesuffix('*')}" if word.endswith("*") else f" {word} "


def full_text_tables() -> list[Table]:
    """Return all tables with a full-text index."""
    return [table for table in metadata.sorted_tables if table.info.get(_MARK)]


def full_text_ddl(table: Table, dialect: Dialect) -> list[str]:
    """Return the statements that create a table's missing full-text index.

    The index includes all existing rows.
    """
    index = f"{table.name}{INDEX_SUFFIX}"
    if not is_sqlite(dialect):
        # Without fastupdate, because every search would read the list of pending entries.
        vector = _vector(f'"{WORDS}"')
        return [
            f'CREATE INDEX IF NOT EXISTS "{index}_beginnings" ON "{table.name}" USING gin (({vector})) WITH (fastupdate = off)'
        ]
    add = f'INSERT INTO "{index}" (rowid, {WORDS}) VALUES (new.id, new.{WORDS});'
    remove = f'INSERT INTO "{index}" ("{index}", rowid, {WORDS}) VALUES (\'delete\', old.id, old.{WORDS});'
    on = f'ON "{table.name}" BEGIN'
    prefixes = " ".join(str(OWNER_LENGTH + length) for length in SQLITE_BEGINNINGS)
    return [
        f"CREATE VIRTUAL TABLE \"{index}\" USING fts5({WORDS}, content='{table.name}', content_rowid='id',"
        f" tokenize=\"ascii tokenchars '_~'\", detail=none, columnsize=0, prefix='{prefixes}')",
        f'INSERT INTO "{index}" ("{index}") VALUES (\'rebuild\')',
        f'CREATE TRIGGER "{index}_insert" AFTER INSERT {on} {add} END',
        f'CREATE TRIGGER "{index}_delete" AFTER DELETE {on} {remove} END',
        f'CREATE TRIGGER "{index}_update" AFTER UPDATE OF {WORDS} {on} {remove} {add} END',
    ]


def spelled(words: Sequence[str], owner: str, *, whole: int, long_form: Callable[[str], str] = str) -> list[list[str]]:
    """Return a query for words in order.

    The first `whole` words match completely, the others as prefixes.
    """
    return [
        sorted({f"{owner}{each}" for each in (word, long_form(word))})
        if index < whole or len(word) < MIN_PREFIX
        else [f"{owner}{word}*"]
        for index, word in enumerate(words)
    ]
