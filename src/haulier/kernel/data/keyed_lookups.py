"""Rows looked up key by key, for many keys at once, on PostgreSQL.

There `column = ANY (…)` on a partitioned table is planned anew for each list of keys, which takes longer than to run it, and
a plan that is kept asks every partition for every key. This is planned once, and asks for each key the partition that it is
in (docs/decisions/0134-what-ingest-costs-on-both-databases.md). SQLite has no partitions and no lateral joins: `in_param`.
"""

from typing import Any

from sqlalchemy import Column, Select, TableValuedAlias, bindparam, column, func, literal_column, select, true

from haulier.kernel.data.tables import ArrayParam

_NO_ROWS: Any = literal_column("0")


def key_list(**columns: Column[Any]) -> TableValuedAlias:
    """Keys that come in parameters: `key_list(ids=events.c.subject_id)` has a column `ids` of the values of that parameter.

    The values of several columns belong together by their places.
    """
    values = [bindparam(name, type_=ArrayParam(like.type)) for name, like in columns.items()]
    named = [column(name, like.type) for name, like in columns.items()]
    return func.unnest(*values).table_valued(*named).render_derived(name="asked")


def for_each_key(keys: TableValuedAlias, rows: Any) -> Select[Any]:
    """The rows of a select whose conditions name a column of `keys`, for each key in turn; those of two keys come twice."""
    # Why the offset: PostgreSQL would otherwise join the whole table, reading every partition.
    found = rows.offset(_NO_ROWS).lateral("found")
    return select(found).select_from(keys.join(found, true()))
