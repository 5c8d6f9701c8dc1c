"""Search by partial input: the address book first, then open data, then towns."""

import asyncio
from collections.abc import Mapping, Sequence

from haulier.contexts.places.address_book import store
from haulier.contexts.places.address_book.actions import book_mark, country_mark
from haulier.contexts.places.address_book.contract import (
    FindNearestAddress,
    FoundAddress,
    FoundAddresses,
    NearestAddress,
    SearchAddress,
)
from haulier.contexts.places.address_book.operations.addresses import KEEPERS
from haulier.contexts.places.address_book.queries import readable_book
from haulier.contexts.places.address_book.rules import rank_found
from haulier.contexts.places.address_book.serializers import found_in_book, found_in_open_data, found_town
from haulier.contexts.places.address_book.store import find_spellings
from haulier.contexts.places.geocoding.queries import (
    MAX_NEAR,
    find_nearest_open_address,
    find_town_in_text,
    search_corrected_open_addresses,
    search_open_addresses,
)
from haulier.contexts.places.geocoding.rules.words import (
    is_corrected,
    long_form,
    near_words,
    query_words,
    search_words,
    spelling_keys,
)
from haulier.kernel.call import Call
from haulier.kernel.data.full_text import owner_prefix, spelled
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import Scope


@reads(
    "search_address",
    audience=KEEPERS,
    scopes={Scope.ADDRESS_READ},
    replica=True,
    interfaces=(
        Rest("GET", "/v1/addresses/search"),
        GraphQL("searchAddress"),
        Mcp("search_address", title="Search an address"),
    ),
)
async def search_address(call: Call, request: SearchAddress) -> FoundAddresses:
    """Search for an address.

    Matches the beginnings of words in any order, ignoring case and accents. If nothing matches, one typing error per
    word is accepted, and `corrected` returns the corrected query.

    Searches the address book first (customers their own, staff all), then open data imported by the operator. Results
    have the field names of orders and can be used as `consignee` or `shipper` directly. A town has no street: its
    coordinates are those of its centre.
    """
    words = query_words(request.search)
    if not words:
        return FoundAddresses(addresses=[])
    found = await _search_book(call, words, request)
    if len(found) < request.limit and request.country:
        found += await _search_open_data(call, words, request)
    corrected = None
    if not found:
        found, corrected = await _search_corrected(call, words, request)
    if not found and request.country:
        found, corrected = await _search_open_corrected(call, words, request)
    if not found and request.country and request.towns:
        # In a thread: reading a country's towns on first use takes a tenth of a second.
        town = await asyncio.to_thread(find_town_in_text, request.search, request.country)
        found = [found_town(town, request.country)] if town else []
    return FoundAddresses(addresses=found[: request.limit], corrected=corrected)


@reads(
    "find_nearest_address",
    audience=KEEPERS,
    scopes={Scope.ADDRESS_READ},
    replica=True,
    interfaces=(Rest("GET", "/v1/addresses/nearest"), GraphQL("nearestAddress")),
)
async def find_nearest_address(call: Call, request: FindNearestAddress) -> NearestAddress:
    """Find the address nearest to a place.

    Searches open data imported by the operator within 250 metres. A house comes before the middle of a street, whose
    `quality` is `street`.
    """
    found = await find_nearest_open_address(call, request.lat, request.lng)
    if found is None:
        return NearestAddress(address=None, distance_m=None)
    distance, row = found
    return NearestAddress(address=found_in_open_data(row), distance_m=round(distance))


async def _search_book(call: Call, words: Sequence[str], request: SearchAddress) -> list[FoundAddress]:
    """Search the book.

    All words but the last count as complete ones first, as users type them, and as prefixes otherwise.
    """
    owner, marks = owner_prefix(call.client_id), _marks(call, request)
    rows: list[store.AddressRow] = []
    for whole in dict.fromkeys((len(words) - 1, 0)):
        query = spelled(words, owner, whole=whole, long_form=long_form)
        rows = await store.search_addresses(call.work, [*query, *marks])
        if len(rows) >= request.limit:
            break
    return [found_in_book(row) for row in rank_found(words, rows)[: request.limit]]


def _marks(call: Call, request: SearchAddress) -> list[list[str]]:
    """The words that say which country and whose book is searched."""
    book = readable_book(call, request.customer_id)
    country = [[country_mark(call.client_id, request.country)]] if request.country else []
    return [*country, *([[book_mark(call.client_id, book)]] if book else [])]


async def _search_corrected(
    call: Call, words: Sequence[str], request: SearchAddress
) -> tuple[list[FoundAddress], str | None]:
    """Return addresses with words one typo away, and the query that finds them."""
    sought = {word: spelling_keys(word) for word in words if is_corrected(word)}
    known = await find_spellings(call.work, {key for keys in sought.values() for key in keys})
    near = {
        word: near_words(word, (row.word for row in known if row.spelling_key in keys))[:MAX_NEAR]
        for word, keys in sought.items()
    }
    if not any(near.values()):
        return [], None
    owner = owner_prefix(call.client_id)
    typed = spelled(words, owner, whole=0, long_form=long_form)
    query = [
        [*spellings, *(f"{owner}{other}" for other in near.get(word, ()))]
        for word, spellings in zip(words, typed, strict=True)
    ]
    rows = await store.search_addresses(call.work, [*query, *_marks(call, request)])
    if not rows:
        return [], None
    ranked = rank_found([*words, *(other for others in near.values() for other in others)], rows)
    best = set(search_words([ranked[0].name, ranked[0].company, ranked[0].address, ranked[0].city]))
    return [found_in_book(row) for row in ranked[: request.limit]], _corrected_query(words, near, best)


def _corrected_query(words: Sequence[str], near: Mapping[str, Sequence[str]], best: set[str]) -> str:
    """Return the query with the words of the best result."""
    return " ".join(next((other for other in near.get(word, ()) if other in best), word) for word in words)


async def _search_open_corrected(
    call: Call, words: Sequence[str], request: SearchAddress
) -> tuple[list[FoundAddress], str | None]:
    """Return open addresses with words one typo away, and the query that finds them."""
    rows, near = await search_corrected_open_addresses(call, words, request.country or "")
    if not rows:
        return [], None
    ranked = rank_found([*words, *(other for others in near.values() for other in others)], rows)
    best = set(search_words([ranked[0].address, ranked[0].city]))
    return [found_in_open_data(row) for row in ranked[: request.limit]], _corrected_query(words, near, best)


async def _search_open_data(call: Call, words: Sequence[str], request: SearchAddress) -> list[FoundAddress]:
    rows = await search_open_addresses(call, words, [request.country or ""], whole=len(words) - 1)
    return [found_in_open_data(row) for row in rank_found(words, rows)[: request.limit]]
