"""Liveness and readiness endpoints for load balancers and supervisors."""

import asyncio
import logging

from sqlalchemy import Column, MetaData, String, Table, select
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from haulier.adapters.revisions import is_before_baseline, known_revisions
from haulier.app import detect_missing_modules
from haulier.kernel.application import Application
from haulier.kernel.data.outages import DatabaseOutage, OutageKind
from haulier.kernel.data.unit_of_work import Database
from haulier.key_watch import STATUS, KeyWatch
from haulier.nodes import Node

DATABASE_TIMEOUT_S = 5
"""A database that takes longer counts as unavailable."""

RETRY_AFTER_S = 5
"""Retry time for probes."""

alembic_version_table = Table("alembic_version", MetaData(), Column("version_num", String(32)))
_current_revision = select(alembic_version_table.c.version_num)
log = logging.getLogger("haulier.health")


def health_routes(app: Application, node: Node, keys: KeyWatch) -> list[Route]:
    """Return `/healthz` (the process answers) and `/readyz` (it can serve calls).

    A process is ready if its database is reachable, migrated and writable, its keys fit the database, and the node is
    consistent with others.
    """

    async def alive(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        try:
            async with asyncio.timeout(DATABASE_TIMEOUT_S):
                waiting = await list_pending_revisions(app.database)
                if app.modules_missing and not waiting:  # migrated since the start
                    await detect_missing_modules(app)
        except Exception as error:
            log.warning("not ready: %s: %s", type(error).__name__, error)
            return _not_ready(error.kind if isinstance(error, DatabaseOutage) else OutageKind.UNREACHABLE)
        if waiting:
            return _not_ready("migrations pending", pending=waiting)
        if outage := app.database.outage():
            return _not_ready(outage)
        if node.faults:
            return _not_ready(**node.faults[0], node=node.name)
        if reason := await keys.check():
            return _not_ready(STATUS, setting="secrets_keys", reason=reason)
        return JSONResponse({"status": "ready"})

    return [Route("/healthz", alive), Route("/readyz", ready)]


def _not_ready(status: str, **details: object) -> Response:
    return JSONResponse({"status": status, **details}, 503, {"Retry-After": str(RETRY_AFTER_S)})


async def list_pending_revisions(database: Database) -> list[str]:
    """Return the migrations that a database is missing, in order.

    Takes no locks, so a probe works during writes and migrations. An unknown revision is a later one: in a rolling
    upgrade the database is ahead of the servers.
    """
    await database.ping()
    known = known_revisions()
    if alembic_version_table.name not in await database.table_names():
        return known
    async with database.read(None) as work:
        seen = await work.value(_current_revision)
    if seen is None or is_before_baseline(seen, known[0]):
        return known
    return known[known.index(seen) + 1 :] if seen in known else []
