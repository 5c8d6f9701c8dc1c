"""Geocoders: three protocols pass the same tests against a local server."""

from collections.abc import Iterator

import pytest
from tests.adapters.fake_geocoder import HOUSE, STREET, TOWN, FakeGeocoder, run_geocoder

from haulier.adapters.geocoders import geocoder_for
from haulier.contexts.places.ports import AddressText, Geocoder, GeocoderUnavailable, LocatedPlace

PROTOCOLS = ("nominatim", "photon", "pelias")
CITY_HALL = AddressText("CA", "100 Queen St W", "Toronto", "ON", "M5H 2N2")


@pytest.fixture
def server() -> Iterator[FakeGeocoder]:
    with run_geocoder() as running:
        yield running


def spoken(server: FakeGeocoder, protocol: str, more: str = "") -> Geocoder:
    return geocoder_for(f"{protocol}+{server.url}?per_second=1000{more}")


async def test_a_result_has_the_precision_stated_by_the_server(server: FakeGeocoder) -> None:
    for protocol in PROTOCOLS:
        geocoder = spoken(server, protocol)
        for address, expected in (
            (CITY_HALL, (*HOUSE, "rooftop")),
            (AddressText("CA", "77 Queen St W", "Toronto"), (*STREET, "street")),
            (AddressText("CA", "1 Nowhere Rd", "Toronto"), (*TOWN, "town")),
        ):
            place = await geocoder.locate(address)
            assert place == LocatedPlace(*expected, protocol), (protocol, address)
        assert await geocoder.locate(AddressText("CA", "1 Nowhere Rd", "Atlantis")) is None


async def test_a_street_in_another_town_is_no_match(server: FakeGeocoder) -> None:
    server.city = "Hamilton"
    for protocol in PROTOCOLS:
        assert await spoken(server, protocol).locate(AddressText("CA", "100 Queen St W", "Ottawa")) is None, protocol


async def test_a_different_house_number_counts_as_a_street_match(server: FakeGeocoder) -> None:
    for protocol in PROTOCOLS:
        place = await spoken(server, protocol).locate(AddressText("CA", "Flat 5, 100 Queen St W", "Toronto"))
        assert place
        assert place.quality == "street", protocol


async def test_a_refusing_or_unreachable_server_is_unavailable(server: FakeGeocoder) -> None:
    for protocol in PROTOCOLS:
        server.status = 429
        with pytest.raises(GeocoderUnavailable) as refused:
            await spoken(server, protocol).locate(CITY_HALL)
        assert refused.value.retry_after_s == 7
    with pytest.raises(GeocoderUnavailable):
        await geocoder_for("photon+http://127.0.0.1:1?per_second=1000").locate(CITY_HALL)


async def test_the_key_and_the_user_agent_are_sent(server: FakeGeocoder) -> None:
    await spoken(server, "pelias", "&api_key=k1").locate(CITY_HALL)
    (asked,) = server.asked
    assert (asked["api_key"], asked["country"], asked["postalcode"]) == ("k1", "CA", "M5H 2N2")
    assert asked["agent"].startswith("haulier")


async def test_without_a_setting_no_geocoder_is_used() -> None:
    nobody = geocoder_for(None)
    assert (nobody.name, await nobody.locate(CITY_HALL)) == (None, None)
    with pytest.raises(ValueError, match="nominatim, photon or pelias"):
        geocoder_for("other+https://host")
