"""Open files brought into the database, for every client."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from haulier.contexts.places.geocoding.queries.open_addresses import open_owner
from haulier.contexts.places.geocoding.rules.open_files import (
    OpenAddressRecord,
    OpenRecord,
    open_address_values,
    open_place_values,
    read_open_file,
)
from haulier.contexts.places.geocoding.store import open_data
from haulier.kernel.data.table_statistics import refresh_statistics
from haulier.kernel.data.unit_of_work import Database

ROWS_PER_TRANSACTION = 2_000


class OpenDataCounts(Struct):
    """What an import did: rows of addresses, of postal codes, and those that said no place."""

    addresses: int = 0
    places: int = 0
    skipped: int = 0


async def import_open_data(
    database: Database,
    lines: Iterable[str],
    *,
    source: str,
    country: str | None,
    progress: Callable[[OpenDataCounts], None] = lambda counts: None,
) -> OpenDataCounts:
    """Bring an open file into the database, in place of what came from the same source before.

    Raises `ValueError` for a file of an unknown form. One that is interrupted is begun anew by importing it again.
    """
    counts, records = OpenDataCounts(), read_open_file(lines, country)
    first = await asyncio.to_thread(_some, records)
    async with database.write(None) as work:
        await open_data.delete_open_data(work, source)
    while first:
        rows = await asyncio.to_thread(_values, first, source)
        async with database.write(None) as work:
            await open_data.insert_open_addresses(work, rows[0])
            await open_data.insert_open_places(work, rows[1])
        counts.addresses += len(rows[0])
        counts.places += len(rows[1])
        counts.skipped += len(first) - len(rows[0]) - len(rows[1])
        progress(counts)
        first = await asyncio.to_thread(_some, records)
    async with database.write(None) as work:
        await refresh_statistics(work, open_data.open_addresses, open_data.open_places)
    return counts


def _some(records: Iterator[OpenRecord | None]) -> list[OpenRecord | None]:
    return list(islice(records, ROWS_PER_TRANSACTION))


def _values(records: Sequence[OpenRecord | None], source: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    addresses = [
        open_address_values(record, source, open_owner(record.country))
        for record in records
        if isinstance(record, OpenAddressRecord)
    ]
    others = [record for record in records if record is not None and not isinstance(record, OpenAddressRecord)]
    return addresses, [open_place_values(record, source) for record in others]
