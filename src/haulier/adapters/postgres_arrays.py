"""Many rows of one INSERT in one statement: each parameter is the array of a column's values.

PostgreSQL starts and ends its executor for a statement, not for a row: a hundred rows cost it a fifth of a hundred statements
(docs/decisions/transactions.md).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

_ROW = re.compile(r"VALUES \((\$\d+::[A-Z ]+(?:, \$\d+::[A-Z ]+)*)\)")


@lru_cache(maxsize=2000)
def insert_of_arrays(sql: str) -> str | None:
    """The INSERT of one row as one of many, in the order of the arrays; None for a statement that inserts in another way.

    Rows that replace others are left alone: one statement may not change a row twice.
    """
    row = _ROW.search(sql) if sql.startswith("INSERT ") and " DO UPDATE " not in sql else None
    if row is None or "$" in sql[row.end() :]:
        return None
    arrays = row[1].replace(",", "[],") + "[]"
    return f"{sql[: row.start()]}SELECT * FROM unnest({arrays}){sql[row.end() :]}"


def columns_of(rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The values of rows as that statement takes them: of each column those of all rows."""
    return tuple(zip(*rows, strict=True))
