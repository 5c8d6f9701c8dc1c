"""Reader processes: limits end only one reading, and dead readers are replaced."""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from tests.support import hostile_files
from tests.support.reading_jobs import list_inheritance, spin, take_memory, wait_for_file

from haulier.adapters.file_reader.pool import FileReaderPool
from haulier.kernel.file_reading import FileLimit, FileLimitReached, ReaderStopped, ReadingLimits
from haulier.kernel.values.table_files import TableQuestion, read_table_file

CSV = TableQuestion("csv", 100)
XLSX = TableQuestion("xlsx", 100)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileReaderPool]:
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    )
    readers = FileReaderPool(1)
    yield readers
    readers.close()


async def limit_of(reading: Awaitable[object]) -> FileLimit:
    with pytest.raises(FileLimitReached) as reached:
        await reading
    return reached.value.limit


def wait_for_readers(path: Path, times: int) -> list[int]:
    """Return the processes that began to read, once there are enough."""
    note = Path(f"{path}.begun")
    while not note.exists() or len(note.read_text().split()) < times:
        time.sleep(0.01)
    return [int(each) for each in note.read_text().split()]


async def begun(path: Path, times: int) -> list[int]:
    """Return the processes that began to read."""
    return await asyncio.to_thread(wait_for_readers, path, times)


@pytest.mark.parametrize(
    ("make", "question", "limit"),
    [
        (hostile_files.far_cell, XLSX, FileLimit.CELLS),
        (hostile_files.hidden_far_cell, XLSX, FileLimit.MEMORY),
        (hostile_files.inflating_workbook, XLSX, FileLimit.UNPACKED),
        (hostile_files.wide_table, CSV, FileLimit.CELLS),
    ],
)
async def test_a_hostile_table_stops_at_a_limit_and_the_next_one_is_read(
    pool: FileReaderPool, make: Callable[[], bytes], question: TableQuestion, limit: FileLimit
) -> None:
    assert await limit_of(pool.read(read_table_file, make(), question)) is limit
    table = await pool.read(read_table_file, b"name,city\nAda,Toronto\n", CSV)
    assert (table.header, list(table.rows)) == (["name", "city"], [["Ada", "Toronto"]])


async def test_an_endless_read_is_stopped_by_its_time_limit(pool: FileReaderPool) -> None:
    assert await limit_of(pool.read(spin, b"", 0, ReadingLimits(seconds=1))) is FileLimit.TIME
    assert await pool.read(take_memory, b"", 1) == 1


async def test_memory_is_limited_per_read(pool: FileReaderPool) -> None:
    small = ReadingLimits(memory_mb=100)
    assert await limit_of(pool.read(take_memory, b"", 200, small)) is FileLimit.MEMORY
    assert await pool.read(take_memory, b"", 200) == 200
    assert await limit_of(pool.read(take_memory, b"", 200, small)) is FileLimit.MEMORY


async def test_a_reader_killed_while_reading_is_replaced_once(pool: FileReaderPool, tmp_path: Path) -> None:
    path = tmp_path / "go"
    reading = asyncio.create_task(pool.read(wait_for_file, b"read", str(path)))
    os.kill((await begun(path, 1))[-1], signal.SIGKILL)
    await begun(path, 2)
    path.touch()
    assert await reading == "read"


async def test_a_file_that_kills_two_readers_is_abandoned(pool: FileReaderPool, tmp_path: Path) -> None:
    path = tmp_path / "go"
    reading = asyncio.create_task(pool.read(wait_for_file, b"read", str(path)))
    for times in (1, 2):
        os.kill((await begun(path, times))[-1], signal.SIGKILL)
    with pytest.raises(ReaderStopped):
        await reading
    path.touch()
    assert await pool.read(wait_for_file, b"next", str(path)) == "next"


async def test_a_cancelled_call_releases_its_reader(pool: FileReaderPool, tmp_path: Path) -> None:
    path = tmp_path / "go"
    reading = asyncio.create_task(pool.read(wait_for_file, b"read", str(path)))
    await begun(path, 1)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await pool.read(take_memory, b"", 1) == 1


async def test_a_reader_inherits_no_settings_and_no_connections(
    pool: FileReaderPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAULIER_SECRETS_KEYS", "a secret")
    with socket.socket() as connection:
        connection.set_inheritable(True)
        inherited = await pool.read(list_inheritance, b"", 0)
    assert [name for name in inherited if name.startswith(("HAULIER", "socket:"))] == []


async def test_the_first_file_starts_a_reader_that_serves_the_next(pool: FileReaderPool, tmp_path: Path) -> None:
    path = tmp_path / "go"
    path.touch()
    for _ in range(3):
        await pool.read(wait_for_file, b"", str(path))
    assert len(set(await begun(path, 3))) == 1
