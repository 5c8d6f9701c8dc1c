"""Search in folded text: `fold_search` in SQL, and word conditions.

PostgreSQL folds with its own functions, SQLite with a Python function that its adapter registers as `FOLD_FUNCTION`.
Tests check that both agree. Columns of long lists store folded text instead.
"""

from typing import Any

from sqlalchemy import ColumnElement, Text, and_, false, func
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from haulier.kernel.values.words import (
    APOSTROPHES,
    LETTER_PAIRS,
    MARKS,
    PLAIN_LETTERS,
    SEPARATORS,
    fold_search,
)

FOLD_FUNCTION = "haulier_fold"
_CAPITALS = [
    chr(code) for code in range(0x370, 0x590) if len(chr(code).lower()) == 1 and chr(code).lower() != chr(code)
]
"""Greek, Cyrillic and Armenian capitals. PostgreSQL's `lower` only knows the letters of its locale."""


class _Folded(FunctionElement[str]):
    type = Text()
    inherit_cache = True


def folded(column: ColumnElement[Any]) -> ColumnElement[str]:
    """Return the folded text of a column."""
    return _Folded(column)


def has_words(text: str, *columns: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the condition that every word of a query occurs in one of the columns.

    False for no words.
    """
    whole = func.coalesce(columns[0], "")
    for column in columns[1:]:
        whole = whole + " " + func.coalesce(column, "")
    return has_folded_words(text, folded(whole))


def has_folded_words(text: str, column: ColumnElement[Any]) -> ColumnElement[bool]:
    """Return the condition that a column of folded text has all words of a query."""
    words = list(dict.fromkeys(fold_search(text).split()))
    return and_(*(column.contains(word, autoescape=True) for word in words)) if words else false()


@compiles(_Folded, "sqlite")
def _folded_on_sqlite(element: _Folded, compiler: Any, **kw: Any) -> str:
    return f"{FOLD_FUNCTION}({compiler.process(element.clauses, **kw)})"


@compiles(_Folded, "postgresql")
def _folded_on_postgresql(element: _Folded, compiler: Any, **kw: Any) -> str:
    return _postgresql_fold(compiler.process(element.clauses, **kw))


def _postgresql_fold(column: str) -> str:
    """Return `fold_search` as a PostgreSQL expression.

    Translating takes 54 microseconds per row, so plain ASCII skips it, and capitals are only translated if `lower`
    does not know them (locale C).
    """
    bare = f"regexp_replace({column}, '{_escaped(APOSTROPHES)}', '', 'g')"
    plain = f"lower(regexp_replace(normalize({bare}, NFKD), '{_escaped(MARKS)}', '', 'g') COLLATE \"default\")"
    # The column's collation may be C, for which a comparison with the constant would be meaningless.
    capitals = "".join(_CAPITALS)
    small = f"CASE WHEN lower('Ω') = 'ω' THEN {plain} ELSE translate({plain}, '{capitals}', '{capitals.lower()}') END"
    letters = f"translate({small}, '{''.join(PLAIN_LETTERS)}', '{''.join(PLAIN_LETTERS.values())}')"
    for sign, pair in LETTER_PAIRS.items():
        letters = f"replace({letters}, '{sign}', '{pair}')"
    either = f"CASE WHEN octet_length({column}) = length({column}) THEN lower({bare}) ELSE {letters} END"
    return f"regexp_replace({either}, '{_escaped(SEPARATORS)}', ' ', 'g')"


def _escaped(pattern: str) -> str:
    """Escape the characters of a pattern, so that no driver reads one as a parameter."""
    ends = (0, pattern.index("]"), pattern.index("]") + 1)
    return "".join(
        sign if sign == "-" or place in ends else f"\\u{ord(sign):04x}" for place, sign in enumerate(pattern)
    )
