"""What slow work gets that must not hold the database's writer: a caller who was let in, before the unit of work opens."""

from dataclasses import dataclass

from haulier.kernel.house import House
from haulier.kernel.principal import Principal


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorstep:
    """Who calls, from where, with which program, and the house they call at. It may read, through `house.database`."""

    house: House
    principal: Principal
    address: str | None = None
    rehearsing: bool = False
    agent: str | None = None
