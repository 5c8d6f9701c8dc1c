"""Inserts whose rows nobody waits for: they go with the next statement of their transaction, in one exchange.

An exchange with PostgreSQL costs a process as much as a good deal of its own work, and most calls write into several tables
what nothing asks for until the commit: a step of an order, its sums, the audit trail
(docs/decisions/transactions.md).
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from haulier.adapters.postgres_arrays import columns_of, insert_of_arrays

_PARAMETER = re.compile(r"\$(\d+)\b")


class SentStatement(NamedTuple):
    """A statement with its values, the tables that it names, and the client that row-level security gets before it."""

    sql: str
    values: tuple[Any, ...]
    tables: frozenset[str]
    rls_tenant: str | None


class WaitingInsert(NamedTuple):
    """Rows of one INSERT that wait, as a list to which others may come."""

    sql: str
    rows: list[tuple[Any, ...]]
    tables: frozenset[str]
    rls_tenant: str | None

    def takes(self, other: "WaitingInsert") -> bool:
        """Whether the rows of another may become rows of this."""
        same = (other.sql, other.rls_tenant) == (self.sql, self.rls_tenant)
        return same and insert_of_arrays(self.sql) is not None

    def statement(self) -> SentStatement:
        """What is sent for it."""
        sql, values = self.sql, self.rows[0]
        if len(self.rows) > 1 and (arrays := insert_of_arrays(sql)):
            sql, values = arrays, columns_of(self.rows)
        return SentStatement(sql, values, self.tables, self.rls_tenant)


class LaterInserts:
    """The inserts of one transaction that wait, all for one client, for a statement to go with."""

    def __init__(self) -> None:
        self._waiting: list[WaitingInsert] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def accepts(self, insert: WaitingInsert) -> bool:
        """Whether an insert may wait beside the others.

        PostgreSQL runs the parts of a statement in an order of its own, but the ids of a table tell what was written first.
        So a table is written by one part alone, whose rows keep their order.
        """
        if len(self._tenants(insert.rls_tenant)) > 1:
            return False
        return all(each.takes(insert) for each in self._waiting if each.tables & insert.tables)

    def add(self, insert: WaitingInsert) -> None:
        """Let an insert wait."""
        for each in self._waiting:
            if each.takes(insert):
                each.rows.extend(insert.rows)
                return
        self._waiting.append(insert)

    def forget(self) -> None:
        """Drop what waits: what it belongs to is undone."""
        self._waiting.clear()

    def accompany(self, command: SentStatement) -> SentStatement | None:
        """The statement together with all that waits, which then waits no more. None where that must go before it.

        Within one statement nothing sees what the rest of it writes, so the two may have no table in common.
        """
        meets = any(command.tables & insert.tables for insert in self._waiting)
        if meets or len(self._tenants(command.rls_tenant)) > 1 or command.sql.startswith("WITH "):
            return None
        return self._joined(command)

    def take(self) -> SentStatement:
        """All that waits as one statement; it waits no more."""
        return self._joined(self._waiting.pop().statement())

    def _tenants(self, tenant: str | None) -> set[str | None]:
        return {tenant, *(each.rls_tenant for each in self._waiting)} - {None}

    def _joined(self, command: SentStatement) -> SentStatement:
        tenant = next(iter(self._tenants(command.rls_tenant)), None)
        inserts, self._waiting = [each.statement() for each in self._waiting], []
        if not inserts:
            return command._replace(rls_tenant=tenant)
        values = command.values + tuple(value for each in inserts for value in each.values)
        tables = command.tables.union(*(each.tables for each in inserts))
        return SentStatement(joined_statement(command.sql, tuple(each.sql for each in inserts)), values, tables, tenant)


@lru_cache(maxsize=2000)
def joined_statement(sql: str, inserts: tuple[str, ...]) -> str:
    """A statement with inserts before it, as one; the values of the inserts come after its own, in their order."""
    taken = _parameters_of(sql)
    written: list[str] = []
    for number, insert in enumerate(inserts):
        shifted = _PARAMETER.sub(lambda found, by=taken: f"${int(found[1]) + by}", insert)
        written.append(f"later_{number} AS ({shifted})")
        taken += _parameters_of(insert)
    return f"WITH {', '.join(written)} {sql}"


def _parameters_of(sql: str) -> int:
    return max((int(number) for number in _PARAMETER.findall(sql)), default=0)
