"""Ports of places: geocoder, cache of published zones, map tiles, and map regions."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from haulier.kernel.call import Call
from haulier.kernel.data.notices import EVERYTHING
from haulier.kernel.data.unit_of_work import Database

ZONES_CHANNEL = "haulier_zones"
MAX_CLIENTS = 256
"""Businesses whose zones one process remembers, the most recently used; ten thousand zones of forty corners take some 60 MB."""
Stamp = int
"""Grows with each version that a business publishes."""


class MapTiles(Struct, frozen=True):
    """Map tile server of the operator.

    URL with `{z}`, `{x}` and `{y}`, and attribution.
    """

    address: str
    credit: str | None = None


class RememberedZones(Struct):
    """Cached zones of a business: stamp, and commit count at which it was valid.

    The count covers commits of other processes.
    """

    stamp: Stamp
    commits: int
    value: Any


class ZoneMemory:
    """Cache of published zones by business, until a notice of a new publication.

    Notices come from this process and, with PostgreSQL, from all processes. For a shared SQLite file, the number of
    commits by other processes shows whether any of them wrote. The stamp is then read again, and nothing is reloaded
    while it is unchanged.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listening = False
        self._notices = 0
        self._by_client: OrderedDict[int, RememberedZones] = OrderedDict()

    async def get(
        self, client_id: int, read_stamp: Callable[[], Awaitable[Stamp]], read: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Return the cached zones of a business, or read them."""
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
        if self._notices == notices:  # a concurrent publication may be missing from the result
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
    """Precision of coordinates, best first."""

    PIN = "pin"
    """A person set them."""
    ROOFTOP = "rooftop"
    """Location of the building: from a delivery there, or from an address file."""
    STREET = "street"
    """Somewhere in the street."""
    POSTAL_CODE = "postal_code"
    """The middle of a postal code."""
    TOWN = "town"
    """The middle of a town. No driver is ever sent there on its account."""

    @property
    def is_drivable(self) -> bool:
        """Return True if a driver can be sent to the coordinates."""
        return self in (Quality.PIN, Quality.ROOFTOP, Quality.STREET)


class AddressText(Struct, frozen=True):
    """An address as people write it."""

    country: str
    """Country code (ISO 3166-1 alpha-2)."""
    address: str
    """Street and house number."""
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
    """Raised when a geocoder is unreachable or over its limit.

    `retry_after_s` is the time to wait.
    """

    def __init__(self, reason: str, retry_after_s: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


class Geocoder(Protocol):
    """A server that knows where addresses are."""

    @property
    def name(self) -> str | None:
        """Return the source name shown in answers, or None."""
        ...

    async def locate(self, address: AddressText) -> LocatedPlace | None:
        """Return the location of an address, or None if not even the town is known.

        Raises `GeocoderUnavailable`.
        """
        ...


class InstalledRegion(Struct, frozen=True, kw_only=True):
    """A map region whose files are installed."""

    name: str
    """Name in URLs: lower-case letters, digits and hyphens."""
    title: str
    bounds: tuple[float, float, float, float]
    """West, south, east and north in decimal degrees (WGS 84)."""
    center: tuple[float, float]
    """Longitude and latitude."""
    zooms: tuple[int, int]
    """Lowest and highest zoom of the map tiles."""
    attribution: str
    """Text that maps must show, as required by the licence of the data."""
    digest: str
    """Hash of the map file. Part of its URL, so that it can be cached for ever."""
    size: int
    """Size of all files in bytes."""
    updated_at: datetime
    map_file: Path
    roads: Path | None = None
    """Archive of Valhalla tiles, if the region has roads."""
    addresses: int = 0
    streets: int = 0
    source: str = ""
    """Name of the file that the region was built from."""
    source_path: str = ""
    """Path of that file on this server, if an update can read it again."""
    packaged: bool = False
    """True for the region of the demo, which is part of the package."""


class Regions(Protocol):
    """The installed map regions of this server."""

    def installed(self) -> Sequence[InstalledRegion]:
        """Return all regions, by name. Reads small files."""
        ...

    def find(self, name: str) -> InstalledRegion | None:
        """Return a region by name."""
        ...


class RegionFault(Exception):
    """Raised when a region cannot be installed or removed.

    The message says why and what to do. `code` names the reason for pages, which have the message in the reader's
    language with `params`.
    """

    def __init__(self, message: str, code: str = "failed", **params: Any) -> None:
        super().__init__(message)
        self.code, self.params = code, params


class RegionProgress(Struct, frozen=True, kw_only=True):
    """State of an installation."""

    step: str
    """`checking`, `reading`, `map`, `roads`, `addresses` or `installing`."""
    percent: float | None = None
    count: int | None = None


class RegionRemark(Struct, frozen=True, kw_only=True):
    """A remark about an installed region. `code` and `params` are those of a fault."""

    code: str
    text: str
    params: dict[str, str] = {}


class RegionOutcome(Struct, frozen=True, kw_only=True):
    """An installed region, and remarks for the operator."""

    region: InstalledRegion
    unchanged: bool = False
    remarks: tuple[RegionRemark, ...] = ()


OnRegionProgress = Callable[[RegionProgress], None]
BusinessCountries = Callable[[], Awaitable[frozenset[str]]]


class RegionOperators(Protocol):
    """Rights to change regions, which belong to the server."""

    async def is_operator(self, call: Call) -> bool:
        """Return True if the caller manages the server."""
        ...

    async def business_countries(self, database: Database) -> frozenset[str]:
        """Return the countries of all businesses."""
        ...


class RegionInstalls(Protocol):
    """Installation of map regions on this server."""

    async def install(
        self,
        name: str,
        source: Path | None,
        *,
        title: str | None = None,
        progress: OnRegionProgress,
        countries: BusinessCountries,
        now: datetime,
    ) -> RegionOutcome:
        """Install a region from a file, or again from its own file without one.

        `progress` may raise an exception, which ends the installation. Raises `RegionFault`.
        """
        ...

    async def remove(self, name: str) -> None:
        """Remove a region. Raises `RegionFault`."""
        ...

    def region_name(self, file: str) -> str:
        """Return the name of a region for a file name."""
        ...

    def check_source(self, source: Path) -> None:
        """Check a path on the server before a job reads it. Raises `RegionFault`."""
        ...

    def find_upload(self, upload: str) -> Path | None:
        """Return the file of an upload."""
        ...

    def append_upload(self, upload: str, file: str, offset: int, content: bytes) -> int:
        """Write a part of a file and return the size so far.

        A part that does not begin at the end of the file is not written. Raises `RegionFault` on a full disk.
        """
        ...

    def discard_upload(self, source: Path) -> None:
        """Delete an upload. Other files stay."""
        ...
