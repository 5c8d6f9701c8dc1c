"""Check that this process holds the keys of its database.

The first process with keys registers the id of the key that encrypts, and so does each later one that also holds the
key registered last. A process that does not hold it is not ready: it could read no secret, and would encrypt what
the others cannot read.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from prometheus_client import Gauge
from sqlalchemy import Column, String, bindparam, delete, select
from sqlalchemy.dialects.postgresql import insert

from haulier.adapters.key_ring import KeyRing
from haulier.kernel.application import Application
from haulier.kernel.background.tasks import running
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import UTCDateTime, shared_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.secrets import KeyUnavailable

CHECK_EVERY_S = 10.0
STATUS = "key unavailable"
"""Status of `/readyz` without the keys."""
log = logging.getLogger("haulier.keys")
fault_gauge = Gauge(
    "haulier_key_unavailable", "1 while the keys cannot be used; writes are refused.", multiprocess_mode="livemax"
)

secrets_key_table = shared_table(
    "secrets_key",
    Column("key_id", String(16), nullable=False, unique=True),
    Column("used_at", UTCDateTime, nullable=False),
    machinery=True,
)
"""Keys that encrypted secrets of this database. The one used last is the current one."""
plain_columns(secrets_key_table, "key_id")

_new = insert(secrets_key_table).values(
    key_id=bindparam("key"), used_at=bindparam("at", type_=secrets_key_table.c.used_at.type)
)
_register = _new.on_conflict_do_update(index_elements=["key_id"], set_={"used_at": _new.excluded.used_at})
_current = select(secrets_key_table.c.key_id).order_by(secrets_key_table.c.used_at.desc()).limit(1)
_forget = delete(secrets_key_table)


class KeyWatch:
    """Comparison of this process's keys with its database.

    Registers the key that encrypts if `registers` is true.
    """

    def __init__(self, app: Application, *, registers: bool = True) -> None:
        self._app, self._registers = app, registers
        self._ring = app.adapter(KeyRing)
        self._is_registered = False
        self.fault: str | None = None
        """Reason why the keys could not be used at the last check."""

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Check now, and then regularly, while the context is open."""
        await self.check()
        async with running(self._check_regularly(), name="keys"):
            yield

    async def check(self) -> str | None:
        """Return the reason why the keys cannot be used, or None. Changes are logged."""
        try:
            await self._compare()
        except KeyUnavailable:
            pass  # `fault` has the reason
        except Exception as error:  # readiness reports the database itself
            log.debug("could not compare the keys: %s", error)
        fault = self._ring.fault
        if fault != self.fault:
            if fault:
                log.error("the keys of this node cannot be used, so writes are refused: %s", fault)
            else:
                log.warning("the keys of this node can be used again")
        self.fault = fault
        fault_gauge.set(fault is not None)
        return fault

    async def _check_regularly(self) -> None:
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            await self.check()

    async def _compare(self) -> None:
        own = self._ring.key_ids()
        async with self._app.database.read(None) as work:
            current = await work.value(_current)
        self._ring.refusal = _refusal(current, own)
        if own and self._registers and not self._ring.refusal and not self._is_registered:
            if current != own[0]:
                async with self._app.database.write(None) as work:
                    await work.run(_register, key=own[0], at=self._app.clock())
            self._is_registered = True


def _refusal(current: str | None, own: list[str]) -> str | None:
    if current is None or current in own:
        return None
    here = f"the keys {', '.join(own)}" if own else "no keys"
    return f"secrets of this database are encrypted with key {current}, and this node has {here}"


async def clear_keys(work: UnitOfWork) -> int:
    """Accept any keys from now on, and return the number of forgotten ones.

    Secrets of lost keys stay unreadable.
    """
    return await work.run(_forget)
