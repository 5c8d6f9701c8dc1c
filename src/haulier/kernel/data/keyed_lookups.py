"""Lookups of many keys at once on PostgreSQL.

For `column = ANY (…)` on a partitioned table, PostgreSQL plans every list of keys separately, which takes longer than
running it, and a cached plan queries every partition for every key. These lookups are planned once and query one
partition per key (docs/decisions/transactions.md). SQLite has neither partitions nor
lateral joins: use `in_param`.
"""

from typing import Any

from sqlalchemy import Column, Select, TableValuedAlias, bindparam, column, func, literal_column, select, true

from haulier.kernel.data.tables import ArrayParam

_NO_ROWS: Any = literal_column("0")


def key_list(**columns: Column[Any]) -> TableValuedAlias:
    """Return keys from parameters as a table.

    `key_list(ids=events.c.subject_id)` has a column `ids` with the values of that parameter.

    Several columns are matched by position.
    """
    values = [bindparam(name, type_=ArrayParam(like.type)) for name, like in columns.items()]
    named = [column(name, like.type) for name, like in columns.items()]
    return func.unnest(*values).table_valued(*named).render_derived(name="asked")


def for_each_key(keys: TableValuedAlias, rows: Any) -> Select[Any]:
    """Return the rows of a select for each key, possibly with duplicates.

    The conditions of the select refer to a column of `keys`.
    """
    # The offset keeps PostgreSQL from joining the whole table, which would read every partition.
    found = rows.offset(_NO_ROWS).lateral("found")
    return select(found).select_from(keys.join(found, true()))
