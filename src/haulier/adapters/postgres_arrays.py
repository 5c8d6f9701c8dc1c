"""Multi-row INSERT in one statement, with an array of values for each column.

PostgreSQL starts and ends its executor once for each statement: inserting a hundred rows this way costs a fifth of a
hundred statements (docs/decisions/transactions.md).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_ROW = re.compile(r"VALUES \((\$\d+::[A-Z ]+(?:, \$\d+::[A-Z ]+)*)\)")


@lru_cache(maxsize=2000)
def insert_of_arrays(sql: str) -> str | None:
    """Return a one-row INSERT rewritten to insert arrays of values.

    Returns None for any other form of INSERT. Upserts are excluded: one statement must not change a row twice.
    """
    row = _ROW.search(sql) if sql.startswith("INSERT ") and " DO UPDATE " not in sql else None
    if row is None or "$" in sql[row.end() :]:
        return None
    arrays = row[1].replace(",", "[],") + "[]"
    return f"{sql[: row.start()]}SELECT * FROM unnest({arrays}){sql[row.end() :]}"


def columns_of(rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Transpose rows into arrays, one for each column."""
    return tuple(zip(*rows, strict=True))
