"""The house: everything a running instance is made of, put together once by `app.py`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from haulier.kernel.data.work import Database
from haulier.kernel.declarations import Feature, Module
from haulier.kernel.kept import Kept
from haulier.kernel.languages import Catalogues
from haulier.kernel.ports import Approvals, Clock, Identity
from haulier.kernel.registry import Backstage, Registry
from haulier.kernel.throttle import Throttle

P = TypeVar("P")


def utc_now() -> datetime:
    """The real clock."""
    return datetime.now(UTC)


@dataclass(kw_only=True)
class House:
    """One running instance: its operations, its database, its words, and what answers its questions."""

    registry: Registry
    backstage: Backstage
    database: Database
    catalogues: Catalogues
    identity: Identity
    base_url: str = "http://127.0.0.1:8000"
    clock: Clock = utc_now
    throttle: Throttle = field(default_factory=Throttle)
    approvals: Approvals | None = None
    modules_missing: frozenset[Module | Feature] = frozenset()
    adapters: Mapping[type, Any] = field(default_factory=dict[type, Any])
    kept: Kept = field(init=False)

    def __post_init__(self) -> None:
        self.kept = Kept(self.database)

    def adapter(self, port: type[P]) -> P:
        """The adapter that was introduced for a port."""
        return cast(P, self.adapters[port])
