"""Addresses located, also by a geocoder: outside of any transaction, since a server may take seconds."""

from collections.abc import Iterable, Sequence

from haulier.contexts.places.geocoding.actions.learn import learn_place
from haulier.contexts.places.geocoding.queries.locate import locate_offline
from haulier.contexts.places.ports import AddressText, Geocoder, GeocoderUnavailable, LocatedPlace, Quality
from haulier.kernel.job_run import JobRun

LAST_ATTEMPT = 6
"""A job that could not ask the geocoder so often goes on without it: whom it concerns must learn that something is missing."""
_RANK = {quality: rank for rank, quality in enumerate(Quality)}


async def locate_addresses(run: JobRun, addresses: Sequence[AddressText]) -> list[LocatedPlace | None]:
    """Where each address is: by what is known here, and by the geocoder for those of which no street is known.

    Raises `GeocoderUnavailable`, once what was found until then is kept; the job is then tried again, and in its last attempt
    goes without.
    """
    return await locate_readings(run, [[address] for address in addresses])


async def locate_readings(run: JobRun, readings: Sequence[Sequence[AddressText]]) -> list[LocatedPlace | None]:
    """Where each address is that can be read in several ways: what is found most exactly counts, of equals the first.

    The geocoder is asked for the likeliest reading alone. Raises as `locate_addresses`.
    """
    every = list(dict.fromkeys(address for ways in readings for address in ways))
    async with run.call() as call:
        known = dict(zip(every, await locate_offline(call, every), strict=True))
        geocoder = call.adapter(Geocoder)
    found = [_best(known[address] for address in ways) for ways in readings]
    if geocoder.name is None:
        return found
    try:
        for index, ways in enumerate(readings):
            place = found[index]
            if ways and (place is None or not place.quality.is_drivable):
                found[index] = _best((await _ask(run, geocoder, ways[0]), place))
    except GeocoderUnavailable:
        if run.attempt < LAST_ATTEMPT:
            raise
    return found


def _best(places: Iterable[LocatedPlace | None]) -> LocatedPlace | None:
    return min((place for place in places if place), key=lambda place: _RANK[place.quality], default=None)


async def _ask(run: JobRun, geocoder: Geocoder, address: AddressText) -> LocatedPlace | None:
    place = await geocoder.locate(address)
    if place and place.quality.is_drivable:
        async with run.call() as call:
            await learn_place(call, address, place)
    return place
