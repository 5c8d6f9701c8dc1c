"""Measurements of one process: event-loop lag, connections and version."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from prometheus_client import Gauge

from haulier import __version__
from haulier.kernel.application import Application
from haulier.kernel.background import Worker
from haulier.kernel.background.tasks import running
from haulier.key_watch import STATUS, KeyWatch
from haulier.metrics import HEALTHY

SAMPLE_EVERY_S = 1.0
ALIVE_FOR_S = 30.0
"""Time without a sample after which the event loop counts as stuck."""
build_gauge = Gauge("haulier_build_info", "1 for the running version.", ["version"], multiprocess_mode="max")
lag_gauge = Gauge(
    "haulier_event_loop_lag_seconds",
    "Delay of the event loop in seconds, the longest of the server processes.",
    multiprocess_mode="livemax",
)
connection_gauge = Gauge(
    "haulier_database_connections",
    "PostgreSQL connections of the pool by state.",
    ["state"],
    multiprocess_mode="livesum",
)
limit_gauge = Gauge(
    "haulier_database_connection_limit", "Maximum number of PostgreSQL connections.", multiprocess_mode="livesum"
)
waiting_gauge = Gauge(
    "haulier_database_waiting_calls", "Calls that wait for a PostgreSQL connection.", multiprocess_mode="livesum"
)
maintenance_gauge = Gauge("haulier_maintenance", "1 while writes are refused.", multiprocess_mode="livemax")


class ProcessMonitor:
    """Samples of a process, taken by its event loop."""

    def __init__(self) -> None:
        self._sampled_at = time.monotonic()

    @property
    def is_alive(self) -> bool:
        """False if the event loop is stuck."""
        return time.monotonic() - self._sampled_at < ALIVE_FOR_S

    @asynccontextmanager
    async def watch(self, app: Application) -> AsyncGenerator[None]:
        """Take samples while the context is open."""
        build_gauge.labels(__version__).set(1)
        async with running(self._record_samples(app), name="process-monitor"):
            yield

    async def _record_samples(self, app: Application) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(SAMPLE_EVERY_S)
            self._sampled_at = time.monotonic()
            lag_gauge.set(max(0.0, self._sampled_at - began - SAMPLE_EVERY_S))
            maintenance_gauge.set(app.in_maintenance)
            if usage := app.database.pool_usage():
                connection_gauge.labels("used").set(usage.used)
                connection_gauge.labels("idle").set(usage.idle)
                limit_gauge.set(usage.limit)
                waiting_gauge.set(usage.waiting)


def worker_health(monitor: ProcessMonitor, worker: Worker, keys: KeyWatch) -> Callable[[], str]:
    """Return the health check of a worker: event loop, keys and database."""

    def check() -> str:
        if not monitor.is_alive:
            return "event loop stuck"
        if keys.fault:
            return f"{STATUS}: {keys.fault}"
        return HEALTHY if time.monotonic() - worker.last_turn_s < ALIVE_FOR_S else "database unreachable"

    return check
