"""What places need from outside: who knows where addresses are, room to remember what was published, and map tiles."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Any, Protocol

from msgspec import Struct

from haulier.kernel.data.notices import EVERYTHING
from haulier.kernel.data.unit_of_work import Database

ZONES_CHANNEL = "haulier_zones"
MAX_CLIENTS = 256
"""Businesses whose zones one process remembers, the most recently used; ten thousand zones of forty corners take some 60 MB."""
Stamp = int
"""Grows with each version that a business publishes."""


class MapTiles(Struct, frozen=True):
    """The operator's server of map tiles: an address with `{z}`, `{x}` and `{y}`, and whom to name on maps."""

    address: str
    credit: str | None = None


class RememberedZones(Struct):
    """What was read for a business: its stamp, and the number of other processes' commits at which that was still true."""

    stamp: Stamp
    commits: int
    value: Any


class ZoneMemory:
    """Published zones of businesses, until a notice says that a business published others.

    Notices come of this process, and with PostgreSQL of all. Of a file that several processes share, the number of the others'
    commits says whether any of them wrote; then the stamp is asked for again, and nothing is read anew while it is the same.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listening = False
        self._notices = 0
        self._by_client: OrderedDict[int, RememberedZones] = OrderedDict()

    async def get(
        self, client_id: int, read_stamp: Callable[[], Awaitable[Stamp]], read: Callable[[], Awaitable[Any]]
    ) -> Any:
        """What is remembered of a business; read where nothing is, or where it is no longer true."""
        if not self._listening:
            self._listening = True
            await self._database.listen(ZONES_CHANNEL, self._forget)
        commits = self._database.outside_version()
        known = self._by_client.get(client_id)
        if known and known.commits == commits:
            self._by_client.move_to_end(client_id)
            return known.value
        notices, stamp = self._notices, await read_stamp()
        if known and known.stamp == stamp:
            known.commits = commits
            return known.value
        value = await read()
        if self._notices == notices:  # Why: what was published meanwhile may not be in what was read.
            self._by_client[client_id] = RememberedZones(stamp, commits, value)
            if len(self._by_client) > MAX_CLIENTS:
                self._by_client.popitem(last=False)
        return value

    def _forget(self, payload: str) -> None:
        self._notices += 1
        if payload == EVERYTHING:
            self._by_client.clear()
        for subject in payload.split(" "):
            if subject.isdigit():
                self._by_client.pop(int(subject), None)


class Quality(StrEnum):
    """How exact coordinates are, the best first."""

    PIN = "pin"
    """A person set them."""
    ROOFTOP = "rooftop"
    """The house itself: from a delivery there, or from a file of addresses."""
    STREET = "street"
    """Somewhere in the street."""
    POSTAL_CODE = "postal_code"
    """The middle of a postal code."""
    TOWN = "town"
    """The middle of a town. No driver is ever sent there on its account."""

    @property
    def is_drivable(self) -> bool:
        """Whether a driver can be sent to such coordinates."""
        return self in (Quality.PIN, Quality.ROOFTOP, Quality.STREET)


class AddressText(Struct, frozen=True):
    """An address as people write it."""

    country: str
    """ISO 3166-1 alpha-2."""
    address: str
    """Street and number."""
    city: str
    region: str | None = None
    postal_code: str | None = None


class LocatedPlace(Struct, frozen=True):
    """Where an address is: degrees (WGS 84), how exact that is, and who says so."""

    lat: float
    lng: float
    quality: Quality
    source: str


class GeocoderUnavailable(Exception):
    """A geocoder cannot be asked now: it is away, or was asked too often. `retry_after_s` is when to ask again."""

    def __init__(self, reason: str, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class Geocoder(Protocol):
    """A server that knows where addresses are."""

    @property
    def name(self) -> str | None:
        """Who it is, as answers name the source; None where there is none."""
        ...

    async def locate(self, address: AddressText) -> LocatedPlace | None:
        """Where an address is; None where it knows nothing as exact as a town. Raises `GeocoderUnavailable`."""
        ...
