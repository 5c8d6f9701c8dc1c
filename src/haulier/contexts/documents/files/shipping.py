"""The errands that take a file's bytes from the database to the object store, and remove them there."""

from typing import Any

from msgspec import Struct

from haulier.contexts.documents.files import store
from haulier.contexts.documents.ports import Objects
from haulier.kernel.errands import errand
from haulier.kernel.run import Run

SHIP, FORGET = "file.ship", "file.forget"


class ShipFile(Struct, frozen=True, kw_only=True):
    """Which file to take there."""

    file_id: int


class ForgetFiles(Struct, frozen=True, kw_only=True):
    """Which keys of the object store to remove."""

    keys: tuple[str, ...]


def key(row: Any) -> str:
    """Where a file lies in the object store. It tells the bytes, so putting them there twice changes nothing."""
    return f"{row.client_id}/{row.id}/{row.sha256}"


@errand(SHIP, ShipFile, max_attempts=24)
async def ship_file(run: Run, args: ShipFile) -> None:
    """Put the bytes into the object store, then forget ours. A repeat after a crash puts the same bytes there again."""
    async with run.house.database.read(run.client_id) as work:
        row = await store.whole(work, args.file_id)
    if row is None or row.content is None:
        return
    objects = run.house.adapter(Objects)
    await objects.put(key(row), row.content, row.media_type)
    async with run.house.database.write(run.client_id) as work:
        shipped = await store.ship(work, row.id, run.house.clock())
    if not shipped:
        await objects.remove(key(row))


@errand(FORGET, ForgetFiles, max_attempts=24)
async def forget_files(run: Run, args: ForgetFiles) -> None:
    """Remove what discarded files left in the object store."""
    for each in args.keys:
        await run.house.adapter(Objects).remove(each)
