"""What places need from outside: somebody who knows where addresses are."""

from enum import StrEnum
from typing import Protocol

from msgspec import Struct


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
