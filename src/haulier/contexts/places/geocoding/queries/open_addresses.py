"""Addresses of imported open files, searched."""

from collections.abc import Sequence

from haulier.contexts.places.geocoding.rules.words import long_form
from haulier.contexts.places.geocoding.store import open_data
from haulier.contexts.places.geocoding.store.open_data import OpenAddressRow as OpenAddress
from haulier.kernel.call import Call
from haulier.kernel.data.full_text import spelled

__all__ = ["OpenAddress", "search_open_addresses"]


async def search_open_addresses(
    call: Call, words: Sequence[str], countries: Sequence[str], *, whole: int
) -> list[OpenAddress]:
    """Addresses of some countries that have these words, the first `whole` of them as they stand; in no order."""
    found: list[OpenAddress] = []
    for country in countries:
        query = spelled(words, open_owner(country), whole=whole, long_form=long_form)
        found += await open_data.search_open_addresses(call.work, query)
    return found


def open_owner(country: str) -> str:
    """What the words of a country's open addresses begin with: as long as that of a client, and not that of any."""
    return f"{country.lower():~>5}_"
