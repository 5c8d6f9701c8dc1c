"""Faults injected during a run."""

import asyncio
import random
from collections.abc import Sequence

import asyncpg
from scripts.two_postgres import Pair

from bench.scale.nodes import Node

CUT_LISTENERS = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND (query ILIKE 'listen %' OR query LIKE '%pg_notify(channel%')
"""


class Faults:
    """Random kills, disconnected listeners and a failover, with counts."""

    def __init__(self, nodes: Sequence[Node], pair: Pair) -> None:
        self._nodes = nodes
        self._pair = pair
        self.listeners_cut = 0

    async def kill_at_random(self, every_s: float) -> None:
        """Kill a process repeatedly, and restart it a moment later."""
        while True:
            await asyncio.sleep(every_s)
            node = random.choice(self._nodes)
            node.kill()
            await asyncio.sleep(1)
            node.start()

    async def cut_listeners(self, every_s: float) -> None:
        """Terminate the database connections that deliver notices."""
        while True:
            await asyncio.sleep(every_s)
            connection = await asyncpg.connect(self._pair.primary.url("postgres"))
            self.listeners_cut += await connection.fetchval(CUT_LISTENERS)
            await connection.close()

    async def fail_over(self, after_s: float) -> None:
        """Kill the primary and promote its standby."""
        await asyncio.sleep(after_s)
        await asyncio.to_thread(self._pair.fail_over)
