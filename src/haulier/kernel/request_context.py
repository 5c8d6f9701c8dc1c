"""The argument of slow preparation that must not hold the database's writer; it runs before the unit of work opens."""

from dataclasses import dataclass

from haulier.kernel.application import Application
from haulier.kernel.principal import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestContext:
    """Who calls, from where, with which program, and the application. It may read, through `app.database`."""

    app: Application
    principal: Principal
    address: str | None = None
    dry_run: bool = False
    agent: str | None = None
