"""The application: one running instance, assembled by `app.py`."""

from collections.abc import Mapping
from copy import copy
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
from haulier.kernel.known_callers import KnownCallers, KnownTestBusinesses
from haulier.kernel.operations.enums import Feature, Module
from haulier.kernel.operations.registry import Registry
from haulier.kernel.ports import Approvals, Clock, Identity
from haulier.kernel.principal import Business
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
    test_adapters: Mapping[type, Any] = field(default_factory=dict[type, Any])
    """Simulated adapters that replace real ones for test businesses."""
    response_cache: ResponseCache = field(init=False)
    read_cache: ReadCache = field(init=False)
    list_totals: ListTotals = field(init=False)
    callers: KnownCallers = field(init=False)
    test_businesses: KnownTestBusinesses = field(init=False)

    def __post_init__(self) -> None:
        self.response_cache = ResponseCache(self.database)
        writes = WriteGenerations(self.database)
        self.read_cache, self.list_totals = ReadCache(writes), ListTotals(writes, max_count=MAX_COUNT)
        self.callers = KnownCallers(self.database, self.identity)
        self.test_businesses = KnownTestBusinesses(self.database, self.identity)

    def network_of(self, address: str | None) -> CallerNetwork:
        """Return the network that calls from an address are counted for."""
        return caller_network(address, self.ipv6_prefix)

    def of_business(self, business: Business | None) -> "Application":
        """Return the application for a business, with simulated services for tests."""
        return self._with_simulated_services() if business and business.test else self

    async def of_client(self, client_id: int | None) -> "Application":
        """Return the application for a client. See `of_business`."""
        is_test = client_id is not None and await self.test_businesses.includes(client_id)
        return self._with_simulated_services() if is_test else self

    def _with_simulated_services(self) -> "Application":
        application = copy(self)
        application.adapters = {**self.adapters, **self.test_adapters}
        return application

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
