"""Geocoders with the protocols of Nominatim, Photon and Pelias.

Each response is validated. A result in a different town is discarded, and a result with a different house number is
downgraded to street quality.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from haulier.adapters.http_client import open_client
from haulier.contexts.places.ports import AddressText, Geocoder, GeocoderUnavailable, LocatedPlace, Quality
from haulier.contexts.places.public import house_number, joined_code, town_key
from haulier.kernel.values.words import fold
from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

TIMEOUT_S = 10.0
DEFAULT_PER_SECOND = 1.0
"""Limit of the public Nominatim server, in requests per second. The other services accept it too."""
USER_AGENT = "haulier (self-hosted delivery platform)"
_TOWN_NAMES = (
    "city",
    "town",
    "village",
    "hamlet",
    "municipality",
    "suburb",
    "borough",
    "district",
    "county",
    "locality",
)

Parameters = dict[str, str]
Parse = Callable[[AddressText, Any], LocatedPlace | None]


class NoGeocoder:
    """Geocoder for installations without a geocoding service."""

    name = None

    async def locate(self, address: AddressText) -> LocatedPlace | None:
        """Return None: the location is always unknown."""
        return None


class HttpGeocoder:
    """Rate-limited client of a geocoding server, one request at a time."""

    def __init__(
        self,
        name: str,
        url: str,
        path: str,
        parameters: Callable[[AddressText], Parameters],
        parse: Parse,
        *,
        per_second: float = DEFAULT_PER_SECOND,
        api_key: str | None = None,
    ) -> None:
        self.name = name
        self._url = url.rstrip("/") + path
        self._parameters, self._parse = parameters, parse
        self._pause_s, self._next_at = 1 / per_second, 0.0
        self._turn = asyncio.Lock()
        self._key = {"api_key": api_key} if api_key else {}

    async def locate(self, address: AddressText) -> LocatedPlace | None:
        """Return the location of an address. Raises `GeocoderUnavailable`."""
        async with self._turn:
            await asyncio.sleep(max(0.0, self._next_at - monotonic()))
            self._next_at = monotonic() + self._pause_s
            document = await self._ask({**self._parameters(address), **self._key})
        try:
            return self._parse(address, document)
        except (KeyError, TypeError, ValueError, IndexError) as fault:
            raise GeocoderUnavailable(f"{self.name} answered in another form: {fault!r}") from None

    async def _ask(self, parameters: Parameters) -> Any:
        try:
            async with open_client(timeout=TIMEOUT_S, headers={"User-Agent": USER_AGENT}) as http:
                answer = await http.get(self._url, params=parameters)
        except httpx.HTTPError as fault:
            raise GeocoderUnavailable(f"{self.name} did not answer: {type(fault).__name__}") from None
        if not answer.is_success:
            raise GeocoderUnavailable(f"{self.name} said {answer.status_code}", _retry_after_s(answer))
        try:
            return answer.json()
        except ValueError:
            raise GeocoderUnavailable(f"{self.name} answered no JSON") from None


def _retry_after_s(answer: "httpx.Response") -> float | None:
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isdecimal() else None


def _given(**parameters: str | None) -> Parameters:
    return {name: value for name, value in parameters.items() if value}


def nominatim_parameters(address: AddressText) -> Parameters:
    """Return the parameters of a structured `/search` request.

    See nominatim.org/release-docs.
    """
    return _given(
        format="jsonv2",
        addressdetails="1",
        limit="1",
        street=address.address,
        city=address.city,
        state=address.region,
        postalcode=address.postal_code,
        countrycodes=address.country.lower(),
    )


def parse_nominatim(address: AddressText, document: Any) -> LocatedPlace | None:
    """Return the first place of a response.

    `place_rank` is its kind: 26 and 27 are streets, 30 is a house (nominatim.org, Place ranks).
    """
    if not document:
        return None
    found: Mapping[str, Any] = document[0]
    parts: Mapping[str, Any] = found.get("address") or {}
    rank = int(found["place_rank"])
    quality = Quality.ROOFTOP if rank >= 28 else Quality.STREET if rank >= 26 else Quality.TOWN
    if found.get("addresstype") == "postcode":
        quality = Quality.POSTAL_CODE
    towns = [parts.get(name) for name in _TOWN_NAMES]
    return _check_response(
        address,
        "nominatim",
        (found["lat"], found["lon"]),
        quality,
        towns=towns,
        postal_code=parts.get("postcode"),
        number=parts.get("house_number"),
    )


def photon_parameters(address: AddressText) -> Parameters:
    """Return the parameters of an `/api` request, with a one-line address.

    See github.com/komoot/photon.
    """
    town = " ".join(filter(None, (address.postal_code, address.city)))
    return {"q": ", ".join(filter(None, (address.address, town, address.region, address.country))), "limit": "1"}


_PHOTON_QUALITY = {"house": Quality.ROOFTOP, "street": Quality.STREET}


def parse_photon(address: AddressText, document: Any) -> LocatedPlace | None:
    """Return the first feature of a response, or None in another country.

    `type` is the kind of place.
    """
    features = document["features"]
    if not features:
        return None
    found: Mapping[str, Any] = features[0]["properties"]
    if str(found.get("countrycode", "")).upper() != address.country:
        return None
    lng, lat = features[0]["geometry"]["coordinates"][:2]
    towns = [*(found.get(name) for name in _TOWN_NAMES), found.get("name") if found.get("type") == "city" else None]
    return _check_response(
        address,
        "photon",
        (lat, lng),
        _PHOTON_QUALITY.get(str(found.get("type")), Quality.TOWN),
        towns=towns,
        postal_code=found.get("postcode"),
        number=found.get("housenumber"),
    )


def pelias_parameters(address: AddressText) -> Parameters:
    """Return the parameters of a `/v1/search/structured` request.

    See github.com/pelias/documentation.
    """
    return _given(
        address=address.address,
        locality=address.city,
        region=address.region,
        postalcode=address.postal_code,
        country=address.country,
        size="1",
    )


_PELIAS_QUALITY = {
    "address": Quality.ROOFTOP,
    "venue": Quality.ROOFTOP,
    "street": Quality.STREET,
    "postalcode": Quality.POSTAL_CODE,
}


def parse_pelias(address: AddressText, document: Any) -> LocatedPlace | None:
    """Return the first feature of a response.

    `layer` is the kind of place. The `match_type` `interpolated` marks a house position estimated from its neighbours.
    """
    features = document["features"]
    if not features:
        return None
    found: Mapping[str, Any] = features[0]["properties"]
    quality = _PELIAS_QUALITY.get(str(found.get("layer")), Quality.TOWN)
    if quality is Quality.ROOFTOP and found.get("match_type") == "interpolated":
        quality = Quality.STREET
    lng, lat = features[0]["geometry"]["coordinates"][:2]
    names = ("locality", "localadmin", "borough", "county", "neighbourhood")
    return _check_response(
        address,
        "pelias",
        (lat, lng),
        quality,
        towns=[found.get(name) for name in names],
        postal_code=found.get("postalcode"),
        number=found.get("housenumber"),
    )


def _check_response(
    address: AddressText,
    source: str,
    place: tuple[Any, Any],
    quality: Quality,
    *,
    towns: Iterable[str | None],
    postal_code: str | None,
    number: str | None,
) -> LocatedPlace | None:
    """Validate a result and return it with its actual quality.

    Returns None for a different town. A different house number has street quality. Raises `ValueError` for invalid
    coordinates.
    """
    lat, lng = float(place[0]), float(place[1])
    if not (-90 <= lat <= 90 and -180 <= lng <= 180):
        raise ValueError("no place on earth")
    if quality.is_drivable and not _is_same_town(address, towns, postal_code):
        return None
    wanted = house_number(address.address)
    if quality is Quality.ROOFTOP and (number is None or house_number(number) != wanted):
        quality = Quality.STREET
    return LocatedPlace(lat, lng, quality, source)


def _is_same_town(address: AddressText, towns: Iterable[str | None], postal_code: str | None) -> bool:
    """Return True if the result is in the town of the address.

    Postal codes are compared first, because a town can have several names.
    """
    asked, said = (fold(joined_code(code) or "") for code in (address.postal_code, postal_code))
    if asked and said and asked[:3] == said[:3]:
        return True
    return town_key(address.city) in {town_key(town) for town in towns if town}


_PROTOCOLS: Mapping[str, tuple[str, Callable[[AddressText], Parameters], Parse]] = {
    "nominatim": ("/search", nominatim_parameters, parse_nominatim),
    "photon": ("/api", photon_parameters, parse_photon),
    "pelias": ("/v1/search/structured", pelias_parameters, parse_pelias),
}


def geocoder_for(setting: str | None) -> Geocoder:
    """Return the configured geocoder, or `NoGeocoder` without a setting.

    The format is `nominatim+https://host?per_second=1&api_key=…`. Raises `ValueError` for an unknown protocol or an
    invalid `per_second`.
    """
    if setting is None:
        return NoGeocoder()
    kind, _, address = setting.partition("+")
    if kind not in _PROTOCOLS:
        raise ValueError("a geocoder speaks the protocol of nominatim, photon or pelias")
    parts = urlsplit(address)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    path, parameters, parse = _PROTOCOLS[kind]
    return HttpGeocoder(
        kind,
        f"{parts.scheme}://{parts.netloc}{parts.path}",
        path,
        parameters,
        parse,
        per_second=float(options.get("per_second", DEFAULT_PER_SECOND)),
        api_key=options.get("api_key"),
    )
