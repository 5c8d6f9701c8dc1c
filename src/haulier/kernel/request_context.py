"""Argument of `prepare` and `after_commit`, which run outside the unit of work."""

from dataclasses import dataclass

from haulier.kernel.application import Application
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE
from haulier.kernel.principal import Principal
from haulier.kernel.values.networks import CallerNetwork


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """Caller, address, program and application. It may read through `app.database`."""

    app: Application
    principal: Principal
    address: str | None = None
    dry_run: bool = False
    agent: str | None = None
    language: str = DEFAULT_LANGUAGE

    @property
    def network(self) -> CallerNetwork:
        """Network that the call comes from.

        Limits and failures are counted per network, never per address.
        """
        return self.app.network_of(self.address)
