"""The argument of slow work that must not hold the database's writer: what runs before the unit of work opens, or after it."""

from dataclasses import dataclass

from haulier.kernel.application import Application
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE
from haulier.kernel.principal import Principal
from haulier.kernel.values.networks import CallerNetwork


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """Who calls, from where, with which program, and the application. It may read, through `app.database`."""

    app: Application
    principal: Principal
    address: str | None = None
    dry_run: bool = False
    agent: str | None = None
    language: str = DEFAULT_LANGUAGE

    @property
    def network(self) -> CallerNetwork:
        """The network that the call comes from; limits and failures are counted by it, never by the address."""
        return self.app.network_of(self.address)
