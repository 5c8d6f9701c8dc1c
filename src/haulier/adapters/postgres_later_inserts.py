"""Deferred inserts that are sent with the next statement of their transaction.

A round trip to PostgreSQL costs a process a large part of its own work. Most calls write into several tables rows that
are not read before the commit, such as order steps, totals and the audit trail (docs/decisions/transactions.md).
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from haulier.adapters.postgres_arrays import columns_of, insert_of_arrays

_PARAMETER = re.compile(r"\$(\d+)\b")


class SentStatement(NamedTuple):
    """Statement with its values, its tables, and the client for row-level security."""

    sql: str
    values: tuple[Any, ...]
    tables: frozenset[str]
    rls_tenant: str | None


class WaitingInsert(NamedTuple):
    """Pending rows of one INSERT. More rows can be added."""

    sql: str
    rows: list[tuple[Any, ...]]
    tables: frozenset[str]
    rls_tenant: str | None

    def takes(self, other: "WaitingInsert") -> bool:
        """Return True if the rows of another insert can join this one."""
        same = (other.sql, other.rls_tenant) == (self.sql, self.rls_tenant)
        return same and insert_of_arrays(self.sql) is not None

    def statement(self) -> SentStatement:
        """Return the statement that inserts the pending rows."""
        sql, values = self.sql, self.rows[0]
        if len(self.rows) > 1 and (arrays := insert_of_arrays(sql)):
            sql, values = arrays, columns_of(self.rows)
        return SentStatement(sql, values, self.tables, self.rls_tenant)


class LaterInserts:
    """Pending inserts of one transaction, all for one client."""

    def __init__(self) -> None:
        self._waiting: list[WaitingInsert] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def accepts(self, insert: WaitingInsert) -> bool:
        """Return True if an insert can be deferred with the others.

        PostgreSQL runs the parts of a statement in any order, but the IDs of a table must follow the order of writing.
        Each table is therefore written by a single part, whose rows stay in order.
        """
        if len(self._tenants(insert.rls_tenant)) > 1:
            return False
        return all(each.takes(insert) for each in self._waiting if each.tables & insert.tables)

    def add(self, insert: WaitingInsert) -> None:
        """Defer an insert."""
        for each in self._waiting:
            if each.takes(insert):
                each.rows.extend(insert.rows)
                return
        self._waiting.append(insert)

    def forget(self) -> None:
        """Drop the pending inserts, because their transaction step is rolled back."""
        self._waiting.clear()

    def accompany(self, command: SentStatement) -> SentStatement | None:
        """Combine the statement with all pending inserts, and clear them.

        Returns None if the inserts must run first: parts of one statement do not see each other's writes, so they must
        not share a table.
        """
        meets = any(command.tables & insert.tables for insert in self._waiting)
        if meets or len(self._tenants(command.rls_tenant)) > 1 or command.sql.startswith("WITH "):
            return None
        return self._joined(command)

    def take(self) -> SentStatement:
        """Return all pending inserts as one statement, and clear them."""
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
    """Join inserts and a statement into one.

    The parameters of the inserts follow those of the statement, in order.
    """
    taken = _parameters_of(sql)
    written: list[str] = []
    for number, insert in enumerate(inserts):
        shifted = _PARAMETER.sub(lambda found, by=taken: f"${int(found[1]) + by}", insert)
        written.append(f"later_{number} AS ({shifted})")
        taken += _parameters_of(insert)
    return f"WITH {', '.join(written)} {sql}"


def _parameters_of(sql: str) -> int:
    return max((int(number) for number in _PARAMETER.findall(sql)), default=0)
