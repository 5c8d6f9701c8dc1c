"""The application: one running instance, assembled by `app.py`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

from haulier.kernel.background.registry import BackgroundRegistry
from haulier.kernel.data.clock import utc_now
from haulier.kernel.data.list_totals import ListTotals
from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.data.write_generations import WriteGenerations
from haulier.kernel.http.rate_limits import RateLimiter
from haulier.kernel.http.read_cache import ReadCache
from haulier.kernel.http.response_cache import ResponseCache
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.known_callers import KnownCallers
from haulier.kernel.operations.enums import Feature, Module
from haulier.kernel.operations.registry import Registry
from haulier.kernel.ports import Approvals, Clock, Identity
from haulier.kernel.values.networks import IPV6_PREFIX, CallerNetwork, caller_network
from haulier.kernel.values.pagination import MAX_COUNT

P = TypeVar("P")
CALL_DEADLINE_S = 30.0
"""Default time limit of a call, shorter than the usual timeout of a proxy."""


@dataclass(kw_only=True)
class Application:
    """One running instance with its operations, database and adapters."""

    registry: Registry
    background: BackgroundRegistry
    database: Database
    catalogues: Catalogues
    identity: Identity
    base_url: str = "http://127.0.0.1:8000"
    clock: Clock = utc_now
    call_deadline_s: float = CALL_DEADLINE_S
    ipv6_prefix: int = IPV6_PREFIX
    rate_limiter: RateLimiter = field(default_factory=RateLimiter)
    approvals: Approvals | None = None
    modules_missing: frozenset[Module | Feature] = frozenset()
    in_maintenance: bool = False
    """True while writes are refused (`kernel/maintenance.py`)."""
    loaded: frozenset[str] = frozenset()
    """Names of the loaded modules (`haulier.modules`)."""
    adapters: Mapping[type, Any] = field(default_factory=dict[type, Any])
    response_cache: ResponseCache = field(init=False)
    read_cache: ReadCache = field(init=False)
    list_totals: ListTotals = field(init=False)
    callers: KnownCallers = field(init=False)

    def __post_init__(self) -> None:
        self.response_cache = ResponseCache(self.database)
        writes = WriteGenerations(self.database)
        self.read_cache, self.list_totals = ReadCache(writes), ListTotals(writes, max_count=MAX_COUNT)
        self.callers = KnownCallers(self.database, self.identity)

    def network_of(self, address: str | None) -> CallerNetwork:
        """Return the network that calls from an address are counted for."""
        return caller_network(address, self.ipv6_prefix)

    def adapter(self, port: type[P]) -> P:
        """Return the adapter behind a port."""
        return cast(P, self.adapters[port])

    def find_adapter(self, port: type[P]) -> P | None:
        """Return the adapter behind a port, or None if its module is not loaded."""
        return cast(P | None, self.adapters.get(port))

    @cached_property
    def features(self) -> frozenset[Feature]:
        """Opt-in families that have operations in this process."""
        return frozenset(operation.feature for operation in self.registry if operation.feature is not None)
