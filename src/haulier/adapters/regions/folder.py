"""Folder of installed map regions.

`<name>.json` describes the region in force and names the folder of its files, `<name>/<version>/`. It is replaced
atomically, so readers see the old region or the new one. A bare `<name>.pmtiles` is a region of a map alone.
"""

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from haulier.adapters.regions.pmtiles import InvalidMap, read_map_header
from haulier.contexts.places.ports import InstalledRegion

MAP_FILE = "map.pmtiles"
ROADS_FILE = "roads.tar"
PACKAGED_ADDRESSES = "addresses.geojsonl.gz"
"""Addresses of a packaged region, for a database of the demo."""
PACKAGED = Path(__file__).with_name("packaged")
"""Regions that the package contains, for the demo."""
REGION_NAME = re.compile(r"^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$")
DIGEST_LENGTH = 16


class RegionManifest(Struct, frozen=True, kw_only=True):
    """Content of `<name>.json`."""

    title: str
    version: str
    """Name of the folder of files."""
    bounds: tuple[float, float, float, float]
    center: tuple[float, float]
    zooms: tuple[int, int]
    attribution: str
    digest: str
    size: int
    updated_at: datetime
    roads: bool = False
    addresses: int = 0
    streets: int = 0
    source: str = ""
    source_path: str = ""
    """Path of that file on this server, for updates."""


class RegionFolder:
    """Regions of one folder, and those of the package if `packaged` is set."""

    def __init__(self, folder: Path, *, packaged: bool = False) -> None:
        self.folder = folder
        self._folders = (folder, PACKAGED) if packaged else (folder,)

    def installed(self) -> Sequence[InstalledRegion]:
        """Return all regions, by name. A region of the folder replaces a packaged one."""
        found: dict[str, InstalledRegion] = {}
        for folder in self._folders:
            for name in _names(folder):
                region = None if name in found else _read_region(folder, name)
                if region:
                    found[name] = region
        return [found[name] for name in sorted(found)]

    def find(self, name: str) -> InstalledRegion | None:
        """Return a region by name."""
        if not REGION_NAME.match(name):
            return None
        return next((region for folder in self._folders if (region := _read_region(folder, name))), None)


def _names(folder: Path) -> set[str]:
    if not folder.is_dir():
        return set()
    return {
        file.stem for file in folder.iterdir() if file.suffix in (".json", ".pmtiles") and REGION_NAME.match(file.stem)
    }


def _read_region(folder: Path, name: str) -> InstalledRegion | None:
    for file, read in ((folder / f"{name}.json", _described), (folder / f"{name}.pmtiles", _bare)):
        try:
            changed = file.stat()
        except FileNotFoundError:
            continue
        return read(file, changed.st_mtime_ns, changed.st_size)
    return None


@lru_cache(maxsize=256)
def _described(file: Path, changed: int, size: int) -> InstalledRegion:
    """Return the region of a manifest, read once until the file changes."""
    manifest = msgspec.json.decode(file.read_bytes(), type=RegionManifest)
    files = file.with_suffix("") / manifest.version
    return InstalledRegion(
        name=file.stem,
        title=manifest.title,
        bounds=manifest.bounds,
        center=manifest.center,
        zooms=manifest.zooms,
        attribution=manifest.attribution,
        digest=manifest.digest,
        size=manifest.size,
        updated_at=manifest.updated_at,
        map_file=files / MAP_FILE,
        roads=files / ROADS_FILE if manifest.roads else None,
        addresses=manifest.addresses,
        streets=manifest.streets,
        source=manifest.source,
        source_path=manifest.source_path,
        packaged=file.parent == PACKAGED,
    )


@lru_cache(maxsize=256)
def _bare(file: Path, changed: int, size: int) -> InstalledRegion | None:
    """Return the region of a map file without a manifest.

    None if the file is no map.
    """
    try:
        header = read_map_header(file)
    except InvalidMap:
        return None
    return InstalledRegion(
        name=file.stem,
        title=header.name or file.stem.replace("-", " ").capitalize(),
        bounds=header.bounds,
        center=header.center,
        zooms=header.zooms,
        attribution=header.attribution,
        digest=file_digest(file),
        size=size,
        updated_at=datetime.fromtimestamp(changed // 1_000_000_000, UTC),
        map_file=file,
        source=file.name,
    )


def file_digest(file: Path) -> str:
    """Return the start of the SHA-256 of a file, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:DIGEST_LENGTH]


def regions_folder(setting: str | None, database: str) -> Path:
    """Return the folder of regions.

    It is the setting, `regions` beside a SQLite database, or `var/regions`.
    """
    if setting:
        return Path(setting)
    if database.startswith("sqlite:///"):
        return Path(database.removeprefix("sqlite:///").partition("?")[0]).parent / "regions"
    return Path("var/regions")
