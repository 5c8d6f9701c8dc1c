"""Nodes that serve one database: presence, clocks and consistent settings.

A node is one process. Every few seconds it sets its clock by the database and updates its row. It compares its
settings and files with those of older nodes; differences keep this node from taking traffic (`/readyz`), not the
others. SQLite runs on one machine and needs none of this.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

from prometheus_client import Gauge
from sqlalchemy import Column, Integer, String, bindparam, delete, select
from sqlalchemy.dialects.postgresql import insert

from haulier.adapters.key_ring import read_key_texts
from haulier.kernel.application import Application
from haulier.kernel.background.tasks import running
from haulier.kernel.data.clock import DatabaseClock
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Json, UTCDateTime, shared_table
from haulier.kernel.values.loopback import LOOPBACK_HOSTS
from haulier.settings import Settings

BEAT_S = 10.0
"""Interval at which a node reports its presence."""
SILENT_AFTER_S = 35.0
"""Seconds of silence after which a node is ignored in comparisons."""
FORGOTTEN_AFTER = timedelta(hours=1)
MAX_SKEW_S = 2.0
"""Maximum clock difference to the database. Logs, certificates and signatures use the machine's clock."""
SAME_EVERYWHERE = (
    *("base_url", "demo", "mail", "objects", "origins", "private_webhooks", "rate_limit_factors", "rate_limits"),
    *("sms", "travel"),
)
"""Settings that must be the same on all nodes. Keys are compared separately."""
log = logging.getLogger("haulier.nodes")
node_gauge = Gauge("haulier_node", "1 for the node that exports these metrics.", ["node"], multiprocess_mode="max")
skew_gauge = Gauge(
    "haulier_clock_skew_seconds",
    "Seconds by which this machine's clock is ahead of the database's.",
    multiprocess_mode="mostrecent",
)

node_table = shared_table(
    "node",
    Column("name", String(120), nullable=False, unique=True),
    Column("started_at", UTCDateTime, nullable=False),
    Column("seen_at", UTCDateTime, nullable=False),
    Column("skew_ms", Integer, nullable=False),
    Column("settings", Json, nullable=False),
    machinery=True,
)

plain_columns(node_table, "name", "settings")


class NodeRow(Row):
    """A node as others see it."""

    name: str
    started_at: datetime
    settings: Any


_columns = ("name", "started_at", "seen_at", "skew_ms", "settings")
_new = insert(node_table).values({name: bindparam(name, type_=node_table.c[name].type) for name in _columns})
_tell = _new.on_conflict_do_update(
    index_elements=["name"], set_={name: _new.excluded[name] for name in ("seen_at", "skew_ms", "settings")}
)
_list_live = (
    select(node_table.c.name, node_table.c.started_at, node_table.c.settings)
    .where(node_table.c.seen_at > bindparam("since"), node_table.c.name != bindparam("me"))
    .order_by(node_table.c.started_at)
)
_forget = delete(node_table).where(node_table.c.seen_at < bindparam("before"))
_leave = delete(node_table).where(node_table.c.name == bindparam("me"))


def fingerprints(settings: Settings) -> dict[str, Any]:
    """Return digests of the settings that nodes must share.

    The digests reveal no key or password.

    Users and passwords in addresses are excluded, because they may differ and could be guessed from a digest.
    """
    values: dict[str, Any] = {
        name: _fingerprint(_without_credentials(getattr(settings, name))) for name in SAME_EVERYWHERE
    }
    if urlsplit(settings.base_url).hostname in LOOPBACK_HOSTS:
        values["base_url"] = None  # not set, or a trial on one machine
    try:
        keys = read_key_texts(settings.secrets_keys) if settings.secrets_keys else []
    except (OSError, ValueError):  # `key_watch` reports it
        return {**values, "secrets_keys": None}
    return {**values, "secrets_keys": [_fingerprint(key) for key in keys]}


def differing_settings(mine: Mapping[str, Any], others: Mapping[str, Any]) -> list[str]:
    """Return the settings in which two nodes differ.

    Keys match if each node can decrypt the other's data, or if one of them cannot read its keys.
    """
    chosen = (name for name in SAME_EVERYWHERE if mine[name] is not None and others.get(name) is not None)
    named = [name for name in chosen if mine[name] != others[name]]
    own_keys, other_keys = mine["secrets_keys"], others.get("secrets_keys", [])
    if own_keys is None or other_keys is None:
        return named
    unreadable = set(own_keys[:1]) - set(other_keys) | set(other_keys[:1]) - set(own_keys)
    return [*named, "secrets_keys"] if unreadable else named


def _fingerprint(value: object) -> str:
    return blake2b(repr(value).encode(), digest_size=8, person=b"haulier-setting").hexdigest()


def _without_credentials(value: object) -> object:
    if not isinstance(value, str) or "@" not in value:
        return value
    parts = urlsplit(value)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


class Files(Protocol):
    """The object store of documents, as used by nodes."""

    @property
    def configured(self) -> bool: ...
    async def put(self, key: str, content: bytes, media_type: str) -> None: ...
    async def get(self, key: str) -> bytes: ...
    async def remove(self, key: str) -> None: ...


class Node:
    """This process as a node of its database."""

    def __init__(self, app: Application, settings: Settings, files: Files) -> None:
        self.name = f"{settings.node}-{os.getpid()}-{secrets.token_hex(4)}"
        self.faults: list[dict[str, Any]] = []
        """Reasons why this node should not take traffic, as of its last beat."""
        self._app = app
        self._settings, self._fingerprints = settings, fingerprints(settings)
        self._files = files
        self._started_at: datetime | None = None
        self._is_alone = app.database.dialect == "sqlite"
        node_gauge.labels(settings.node).set(1)

    @asynccontextmanager
    async def joined(self) -> AsyncGenerator[None]:
        """Register the node while the context is open. Differences are logged immediately."""
        if self._is_alone:
            yield
            return
        await self.beat()
        try:
            async with running(self._send_beats(), name="node"):
                yield
        finally:
            await self._leave()

    async def beat(self) -> None:
        """Set the clock, report presence and compare.

        Errors are logged until the next beat.
        """
        try:
            if self._fingerprints["secrets_keys"] is None:
                self._fingerprints = fingerprints(self._settings)
            skew_s = await self._set_clock()
            older = await self._tell(skew_s)
            faults = [*_skew_faults(skew_s), *self._setting_faults(older), *await self._file_faults(older)]
        except Exception as error:
            log.warning("could not compare this node with the others: %s: %s", type(error).__name__, error)
            return
        for fault in faults:
            if fault not in self.faults:
                log.error("this node differs from the others: %s", fault)
        self.faults = faults

    async def _send_beats(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            await self.beat()

    async def _set_clock(self) -> float:
        clock = self._app.clock
        if not isinstance(clock, DatabaseClock):
            return 0.0
        await clock.synchronise()
        skew_gauge.set(clock.skew_s)
        return clock.skew_s

    async def _tell(self, skew_s: float) -> list[NodeRow]:
        """Update this node's row and return the live nodes that are older."""
        now = self._app.clock()
        first = self._started_at is None
        started_at = self._started_at or now
        if first:
            await self._leave_mark()
        facts = {"started_at": started_at, "settings": self._fingerprints, "skew_ms": round(skew_s * 1000)}
        async with self._app.database.write(None) as work:
            await work.run(_tell, name=self.name, seen_at=now, **facts)
            await work.run(_forget, before=now - FORGOTTEN_AFTER)
            live = await work.all(_list_live, NodeRow, since=now - timedelta(seconds=SILENT_AFTER_S), me=self.name)
        self._started_at = started_at
        return [node for node in live if (node.started_at, node.name) < (started_at, self.name)]

    def _setting_faults(self, older: Sequence[NodeRow]) -> list[dict[str, Any]]:
        for node in older:
            if differ := differing_settings(self._fingerprints, node.settings):
                return [{"status": "settings differ", "settings": differ, "from": node.name}]
        return []

    async def _file_faults(self, older: Sequence[NodeRow]) -> list[dict[str, Any]]:
        """Check that this node sees a file of an older node in the object store."""
        if not self._files.configured:
            return []
        for node in older[:1]:
            try:
                await self._files.get(_mark(node.name))
            except KeyError:
                return [{"status": "files are not shared", "settings": ["objects"], "from": node.name}]
        return []

    async def _leave_mark(self) -> None:
        if self._files.configured:
            await self._files.put(_mark(self.name), self.name.encode(), "text/plain")

    async def _leave(self) -> None:
        with suppress(Exception):  # the others detect the silence themselves
            async with self._app.database.write(None) as work:
                await work.run(_leave, me=self.name)
            if self._files.configured:
                await self._files.remove(_mark(self.name))


def _mark(name: str) -> str:
    return f"nodes/{name}"


def _skew_faults(skew_s: float) -> list[dict[str, Any]]:
    return [{"status": "clock is off", "skew_s": round(skew_s, 1)}] if abs(skew_s) > MAX_SKEW_S else []
