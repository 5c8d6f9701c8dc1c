"""Windows and logs that count calls against a limit.

A window is approximate: it counts all calls of the current slot, and those of the previous slot in proportion to the
part that the limit still covers. A log stores the moment of each call and is exact. Pure, apart from the tables and
statements.
"""

import math
from hashlib import blake2b
from typing import Any

from msgspec import Struct
from sqlalchemy import BigInteger, BindParameter, Column, Integer, String, bindparam, case, func, literal_column, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.base import Executable

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import ArrayParam, Json, UTCDateTime, shared_table
from haulier.kernel.operations.declaration import RateLimit

SHARE_UNSENT = 64
"""A node shares its counts when they exceed this fraction (1/64) of the calls that are left.

The fewer calls are left, the more often it shares. Three nodes together allow at most 3/64 of a limit too many, below
5 %.
"""


def limit_key(operation: str, limit: RateLimit, facts: tuple[str, ...]) -> str:
    """Return the key that a limit is counted under.

    It is a digest, so that tables of counts hold no addresses.
    """
    counted = ("failures",) if limit.failures else ()
    text = "\0".join((operation, str(limit.times), str(limit.seconds), *counted, *limit.by, *facts))
    return blake2b(text.encode(), digest_size=16).hexdigest()


class Window(Struct):
    """The calls under one limit that this node knows of.

    `current` and `previous` are the shared counts.
    """

    times: int
    seconds: int
    slot: int = 0
    current: int = 0
    previous: int = 0
    unsent: int = 0
    sending: int = 0

    def move_to(self, now_s: float) -> float:
        """Move to the slot of a moment and return the elapsed part of it, from 0 to 1."""
        position = now_s / self.seconds
        slot = math.floor(position)
        if slot > self.slot:
            self.previous = self.current if slot == self.slot + 1 else 0
            self.slot, self.current = slot, 0
        return position - self.slot

    def left(self, now_s: float) -> float:
        """Return the number of calls that the limit still allows."""
        return self.times - self.previous * (1 - self.move_to(now_s)) - self._in_slot

    def is_due(self, now_s: float) -> bool:
        """Return True if this node must share its counts before it allows the next call."""
        unknown = self.unsent + self.sending
        return unknown * SHARE_UNSENT > self.left(now_s) + unknown

    def learn(self, slot: int, current: int, previous: int) -> None:
        """Update this window with the shared counts."""
        if slot == self.slot:
            self.current, self.previous = current, previous
        elif slot == self.slot - 1:
            self.previous = current
        elif slot > self.slot:
            self.slot, self.current, self.previous = slot, current, previous

    def wait_s(self, now_s: float) -> int:
        """Return the seconds until the next call is allowed if there are no other calls."""
        over = self.move_to(now_s)
        in_slot, room = self._in_slot, self.times - 1
        if in_slot <= room:  # this slot has room when enough of the last one no longer counts
            part = 1 - (room - in_slot) / self.previous if self.previous else over
            return max(1, math.ceil((part - over) * self.seconds))
        return max(1, math.ceil((1 - over + 1 - room / in_slot) * self.seconds))

    @property
    def _in_slot(self) -> int:
        return self.current + self.sending + self.unsent


def admit(hits: list[int], limit: RateLimit, now_ms: int) -> tuple[list[int], int]:
    """Return the counted calls, and the seconds to wait if this one is refused."""
    counted = sorted(hit for hit in hits if hit > now_ms - limit.seconds * 1000)
    if len(counted) < limit.times:
        return [*counted, now_ms], 0
    free_at_ms = counted[len(counted) - limit.times] + limit.seconds * 1000
    return counted, max(1, math.ceil((free_at_ms - now_ms) / 1000))


rate_windows = shared_table(
    "rate_window",
    Column("key", String(32), nullable=False, unique=True),
    Column("slot", BigInteger, nullable=False),
    Column("current_count", Integer, nullable=False),
    Column("previous_count", Integer, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    unlogged=True,
    machinery=True,
)
rate_logs = shared_table(
    "rate_log",
    Column("key", String(32), nullable=False, unique=True),
    Column("hits", Json, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    unlogged=True,
    machinery=True,
)
"""Counts may be lost in a crash, so the tables are unlogged. No index covers a count, so that PostgreSQL can update
rows in place."""

plain_columns(rate_windows, "key")
plain_columns(rate_logs, "key", "hits")


def _many(name: str) -> BindParameter[Any]:
    return bindparam(f"{name}s", type_=ArrayParam(rate_windows.c[name].type))


def _notify_statement() -> Executable:
    """Add this node's counts and return the shared counts. PostgreSQL only."""
    columns = ("key", "slot", "current_count", "expires_at")
    given = select(*(func.unnest(_many(name)) for name in columns), literal_column("0"))
    added = insert(rate_windows).from_select([*columns, "previous_count"], given)
    old, new = rate_windows.c, added.excluded
    return added.on_conflict_do_update(
        index_elements=["key"],
        set_={
            "slot": func.greatest(old.slot, new.slot),
            "current_count": case(
                (old.slot == new.slot, old.current_count + new.current_count),
                (old.slot < new.slot, new.current_count),
                else_=old.current_count,
            ),
            "previous_count": case(
                (old.slot == new.slot, old.previous_count),
                (old.slot == new.slot - 1, old.current_count),
                (old.slot == new.slot + 1, old.previous_count + new.current_count),
                (old.slot > new.slot, old.previous_count),
                else_=0,
            ),
            "expires_at": func.greatest(old.expires_at, new.expires_at),
        },
    ).returning(old.key, old.slot, old.current_count, old.previous_count)


tell_windows = _notify_statement()
