"""Installation of regions from pages, and uploads."""

import errno
import re
import shutil
import time
from datetime import datetime
from pathlib import Path

from haulier.adapters.regions.install import (
    UPLOADS,
    WORK,
    RegionInstaller,
    RegionRefused,
    checked_name,
    region_name,
)
from haulier.contexts.places.public import BusinessCountries, OnRegionProgress, RegionOutcome
from haulier.kernel.data.unit_of_work import Database

SUFFIXES = (".osm.pbf", ".pbf", ".pmtiles")
_UPLOAD = re.compile(r"^[A-Za-z0-9_-]{16,40}$")
UPLOAD_DAYS = 2
"""Days after which an abandoned upload is deleted."""


class ServerRegionInstalls:
    """Installs regions of one folder and their addresses in a database."""

    def __init__(self, folder: Path, database: Database) -> None:
        self._folder, self._database = folder, database
        self._uploads = folder / WORK / UPLOADS

    async def install(
        self,
        name: str,
        source: Path | None,
        *,
        title: str | None = None,
        progress: OnRegionProgress,
        countries: BusinessCountries,
        now: datetime,
    ) -> RegionOutcome:
        """Install a region from a file, or again from its own file without one."""
        installer = RegionInstaller(self._folder, self._database, progress=progress, countries=countries, now=now)
        if source is None:
            return await installer.update(name)
        return await installer.add(source, name=name, title=title)

    async def remove(self, name: str) -> None:
        """Remove a region."""
        await RegionInstaller(self._folder, self._database).remove(name)

    def region_name(self, file: str) -> str:
        """Return the name of a region for a file name. Raises `RegionRefused`."""
        return checked_name(region_name(Path(file)))

    def check_source(self, source: Path) -> None:
        """Require an extract or a map, by its name and place. Raises `RegionRefused`."""
        if not source.is_absolute() or not source.name.endswith(SUFFIXES):
            raise RegionRefused(f"{source} is not the full path of an extract or a map", "path_needed")
        if not source.is_file():
            raise RegionRefused(f"{source} is not a file", "no_file", file=str(source))

    def find_upload(self, upload: str) -> Path | None:
        """Return the file of an upload. Raises `RegionRefused` for an invalid id."""
        if not _UPLOAD.match(upload):
            raise RegionRefused("the id of the upload is not valid", "upload_id")
        folder = self._uploads / upload
        return next(iter(folder.iterdir()), None) if folder.is_dir() else None

    def append_upload(self, upload: str, file: str, offset: int, content: bytes) -> int:
        """Write a part of a file and return the size so far."""
        target = self.find_upload(upload)
        if target is None:
            self._delete_abandoned()
            target = self._uploads / upload / _file_name(file)
            target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with target.open("ab") as stream:
                if stream.tell() == offset:
                    stream.write(content)
        except OSError as fault:
            if fault.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise RegionRefused("the disk is full", "disk_full") from fault
        return target.stat().st_size

    def discard_upload(self, source: Path) -> None:
        """Delete an upload. Other files stay."""
        if source.parent.parent == self._uploads:
            shutil.rmtree(source.parent, ignore_errors=True)

    def _delete_abandoned(self) -> None:
        oldest = time.time() - UPLOAD_DAYS * 86_400
        for folder in self._uploads.iterdir() if self._uploads.is_dir() else ():
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def _file_name(file: str) -> str:
    """Return a name for an uploaded file, without its folders. Raises `RegionRefused`."""
    suffix = next((each for each in SUFFIXES if file.lower().endswith(each)), None)
    if suffix is None:
        raise RegionRefused(f"{file[:80]} is not an extract or a map", "file_kind")
    return checked_name(region_name(Path(file))) + suffix
