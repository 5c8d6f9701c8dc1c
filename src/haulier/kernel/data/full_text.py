"""Full-text search by the database's own index: GIN over a `tsvector` on PostgreSQL, FTS5 on SQLite.

A table that is searched has a column of words, folded by `fold_words` and each with the beginning of whose it is
(`17_queen`): so an index that holds the words of every client is read in one client's part alone.

The index is no declared item, because neither database's is known to the other. `full_text_ddl` makes it, and migrations
call that after each step for every table that has none (`migrations/env.py`).
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
"""The column that is searched."""
INDEX_SUFFIX = "_full_text"
"""What the name of an index of this kind ends with; on SQLite it is a virtual table with tables of its own."""
MIN_PREFIX = 2
"""A word of fewer letters is only found whole: too many words begin with a single letter."""
_MARK = "full_text"
OWNER_LENGTH = 6
"""So many signs say whose a word is."""
BEGINNINGS = (2, 3, 4, 6, 8)
"""PostgreSQL keeps words by so many of their first letters too. A longer beginning is looked for by the longest kept one that
it has, and then in the row: a beginning that is asked for as such would be gathered whole, from all words that have it."""
SQLITE_BEGINNINGS = (2, 3, 4, 5, 6, 7, 8)
"""Those that SQLite keeps. It looks for no row's words, and gathers a beginning that it does not keep."""
_CUT_OFF = "*"
"""The sign after the beginning of a word; no word has it."""
_PARTS, _PATTERNS = "\x1f", "\x1e"
"""What stands between the two parts of a query as PostgreSQL is given it, and between the patterns of its second."""


def words_column(**options: Any) -> Column[str]:
    """The column of words, for a table that `full_text` then marks."""
    return Column(WORDS, Text, nullable=False, **options)


def full_text(table: Table) -> Table:
    """Mark a table as one that is searched by its column `words`."""
    table.info[_MARK] = True
    return table


def search_table(name: str) -> Table:
    """The words by which records of a client are found, under the `id` of each record.

    It is under the tenant filter, and not under row-level security.
    # Why: PostgreSQL does not use a full-text index below a policy of rows, since `@@` is not known to leak nothing; each
    # search would then read all rows of the client (docs/decisions/0046). Records are read from their own table, which has
    # its policy, and this one says nothing but which.
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
    """Write the words of new records, each with the record's `id`, into a search table.

    # Why in one statement: SQLite brings its index up to date at the end of each, and merges what that wrote. Row by row takes
    # five times as long, and longer the more rows there are.
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
    """What the words of a client begin with: five letters or digits or more, and a sign that no word holds."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text, rest = "", client_id
    while rest:
        rest, digit = divmod(rest, 36)
        text = digits[digit] + text
    return f"{text:0>5}_"


class WordQuery(TypeDecorator[Any]):
    """A parameter: words that must all be there, each a collection of spellings, of which one must. `queen*` is a beginning."""

    impl = Text
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Any:
        """The text of the query as the database's own language has it."""
        return _to_fts5 if is_sqlite(dialect) else _to_tsquery


def _to_fts5(words: Iterable[Collection[str]]) -> str:
    return " AND ".join("(" + " OR ".join(map(_fts5_word, spellings)) + ")" for spellings in words)


def _fts5_word(word: str) -> str:
    quoted = '"' + word.removesuffix("*").replace('"', '""') + '"'
    return f"{quoted} *" if word.endswith("*") else quoted


def _to_tsquery(words: Iterable[Collection[str]]) -> str:
    """What the index is asked for, and the patterns that the words of a row must have besides."""
    asked = [[*spellings] for spellings in words]
    alone = len(asked) == 1
    sought = " & ".join("(" + " | ".join(_tsquery_word(each, alone) for each in spellings) + ")" for spellings in asked)
    patterns = [
        _pattern(spellings) for spellings in asked if any(_is_looked_up_in_row(each, alone) for each in spellings)
    ]
    return sought + _PARTS + _PATTERNS.join(patterns)


def _kept_beginning(word: str, alone: bool) -> str | None:
    """The longest kept beginning of a word that is only begun; None where so few letters are none.

    None for a long one that is sought alone, too: no other word spares its rows, so it is best gathered as it is. The codes
    of a dataset (`street1234`) may share all kept beginnings with tens of thousands of records.
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
    # Why: SQLite would be asked whether it `= 1`, and then reads every row instead of the index.
    _is_implicitly_boolean = True


def ids_with_words(table: Table, name: str, limit: int) -> Select[Any]:
    """The `id`s, at most `limit`, of rows that have the words of the parameter `name`, a `WordQuery`; in no order.

    The table is one that `full_text` marked. Raises `TypeError` for any other.
    """
    if not table.info.get(_MARK):
        raise TypeError(f"{table.name} has no full-text index")
    query = bindparam(name, type_=WordQuery())
    # Why: with a limit in reach PostgreSQL would read rows until enough of them match, which may be all; what is materialized
    # has no limit, so it asks the index, and is read only as far as it is needed. SQLite reads its index in order and needs
    # the limit there.
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
    """The words as they are, since PostgreSQL's own parsers would cut them up again, and the beginnings of longer ones."""
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
    """Whether the row of a search table with an id has some words, looked up row by row and not by the index.

    For words that so many rows have that the index would list most of them.
    """
    text = literal(" ") + table.c[WORDS] + literal(" ")
    said = [or_(*(_Position(text, literal(_as_in_text(each))) > 0 for each in spellings)) for spellings in words]
    # Why a scalar subquery: what is joined, a database may read as a whole first.
    return select(case((and_(*said), 1), else_=0)).where(table.c.id == id_column).scalar_subquery() == 1


def _as_in_text(word: str) -> str:
    return f" {word.removesuffix('*')}" if word.endswith("*") else f" {word} "


def full_text_tables() -> list[Table]:
    """Every declared table with such an index."""
    return [table for table in metadata.sorted_tables if table.info.get(_MARK)]


def full_text_ddl(table: Table, dialect: Dialect) -> list[str]:
    """The statements that make a table's index where it is missing, with all rows that are there."""
    index = f"{table.name}{INDEX_SUFFIX}"
    if not is_sqlite(dialect):
        # Why: a list of what is still to be indexed would be read by every search.
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
    """A query for words in their order: the first `whole` of them as they stand or in full, the others as beginnings."""
    return [
        sorted({f"{owner}{each}" for each in (word, long_form(word))})
        if index < whole or len(word) < MIN_PREFIX
        else [f"{owner}{word}*"]
        for index, word in enumerate(words)
    ]
