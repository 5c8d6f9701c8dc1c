"""Sessions on a PostgreSQL that Citus distributes."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from haulier.adapters.postgres_arrays import insert_of_rows, split_rows
from haulier.adapters.postgres_pool import TenantConnection
from haulier.adapters.postgres_sessions import TransactionSession
from haulier.kernel.data.statements import PreparedStatement
from haulier.kernel.data.unit_of_work import ALL_TENANTS


class DistributedSession(TransactionSession):
    """Statements of one transaction, for reads and writes.

    Citus passes the client to its workers only if a transaction sets it. Each statement names tables of one node, and
    many rows go as lists (docs/decisions/transactions.md).
    """

    async def insert_later(
        self, prepared: PreparedStatement, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> None:
        # Tables of one statement may lie on different nodes.
        await self.fetch_each(prepared, values, rls_tenant)

    async def _insert_rows(
        self, prepared: PreparedStatement, arrays: str, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        # A list with rows of several clients would return them by node.
        alone: Iterable[Any] = ([row] for row in values)
        inserted: list[Sequence[Any]] = []
        for rows in alone if rls_tenant == ALL_TENANTS else split_rows(values):
            sql, listed = insert_of_rows(prepared.sql, len(rows)), tuple(itertools.chain.from_iterable(rows))
            inserted += await self._fetch(await self.command(prepared, sql, listed, rls_tenant))
        return inserted

    async def _run_commands(self, link: TenantConnection, commands: Sequence[str]) -> None:
        # Citus would forward a string of several commands for each of them.
        for command in commands:
            await self._run_command(link, command)
