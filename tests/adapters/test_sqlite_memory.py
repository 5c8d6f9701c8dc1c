"""Memory use of a SQLite file is bounded, regardless of its size."""

from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest
from sqlalchemy import Column, LargeBinary, MetaData, Table, func, insert, select

from haulier.adapters.sqlite import SQLite

MIB = 2**20
FILE_MIB = 24
ROW = 2**11
"""A page holds one; longer values run over pages that are not kept."""
filler = Table("filler", MetaData(), Column("body", LargeBinary))


@pytest.fixture
async def large(tmp_path: Path) -> AsyncIterator[SQLite]:
    """A file that is three times what a connection keeps."""
    path = tmp_path / "large.db"
    with apsw.Connection(str(path)) as made:
        made.execute("CREATE TABLE filler (body BLOB)")
        made.executemany("INSERT INTO filler VALUES (zeroblob(?))", [(ROW,)] * (FILE_MIB * MIB // ROW))
    made.close()
    database = SQLite(path)
    await database.open()
    yield database
    await database.close()


async def read_all(database: SQLite) -> int:
    async with database.read(None) as work:
        bytes_read = select(func.sum(func.length(filler.c.body)))
        return await work.without_tenant_filter("the test's own table").value(bytes_read)


def mapped_files() -> set[str]:
    """The files that are mapped into the memory of this process."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("no list of mappings here")
    return {line.split()[-1] for line in maps.read_text().splitlines()}


async def test_reading_a_large_file_uses_bounded_memory(large: SQLite) -> None:
    before = apsw.memory_used()
    assert await read_all(large) == FILE_MIB * MIB
    assert apsw.memory_used() - before < 10 * MIB


async def test_writing_much_data_uses_bounded_memory(large: SQLite) -> None:
    before = apsw.memory_used()
    async with large.write(None) as plain:
        work = plain.without_tenant_filter("the test's own table")
        await work.run_many(insert(filler), [{"body": bytes(ROW)}] * (FILE_MIB * MIB // ROW))
    assert apsw.memory_used() - before < 10 * MIB


async def test_the_file_is_not_mapped_into_memory(large: SQLite, tmp_path: Path) -> None:
    await read_all(large)
    assert str(tmp_path / "large.db") not in mapped_files()
