"""Rows within a row: what belongs to a record, read with it in one statement instead of one more for each kind."""

from typing import Any

from sqlalchemy import ColumnElement, Table, literal_column, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from haulier.kernel.data.tables import Json


class _Rows(FunctionElement[Any]):
    """Rows as one JSON array of objects, on either database. Its arguments are names and columns by turns."""

    inherit_cache = True
    type = Json()


@compiles(_Rows, "sqlite")
def _on_sqlite(element: Any, compiler: Any, **kw: Any) -> str:
    return f"json_group_array(json_object({compiler.process(element.clauses, **kw)}))"


@compiles(_Rows, "postgresql")
def _on_postgres(element: Any, compiler: Any, **kw: Any) -> str:
    return f"coalesce(json_agg(json_build_object({compiler.process(element.clauses, **kw)})), '[]')"


def gathered(table: Table, *names: str, of: ColumnElement[bool], label: str) -> ColumnElement[Any]:
    """The rows of a table that belong to a row of another one (`of`), as a column: a list of plain objects, in no order.

    Instants come out as text. Columns of documents cannot be gathered, because SQLite would quote them.
    """
    if documents := [name for name in names if isinstance(table.c[name].type, Json)]:
        raise TypeError(f"columns of documents cannot be gathered: {', '.join(documents)}")
    words = [word for name in names for word in (literal_column(f"'{name}'"), table.c[name])]
    return select(_Rows(*words)).where(of).scalar_subquery().label(label)
