"""Installation of map regions from extracts and map files.

Each step leaves a mark in a work folder, so an interrupted installation continues with the next step. The installed
region is replaced at the end, at once.
"""

import asyncio
import errno
import fcntl
import json
import os
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct, field

from haulier.adapters.regions.addresses import address_lines
from haulier.adapters.regions.extract import InvalidExtract, read_extract
from haulier.adapters.regions.folder import (
    MAP_FILE,
    PACKAGED,
    REGION_NAME,
    ROADS_FILE,
    RegionFolder,
    RegionManifest,
    file_digest,
)
from haulier.adapters.regions.pmtiles import MAGIC, OSM_ATTRIBUTION, InvalidMap, read_map_header
from haulier.adapters.regions.roads import build_roads, find_tile_builder, has_road_library
from haulier.adapters.regions.tiles import build_tiles
from haulier.contexts.places.public import (
    BusinessCountries,
    InstalledRegion,
    OnRegionProgress,
    OpenDataCounts,
    RegionFault,
    RegionOutcome,
    RegionProgress,
    RegionRemark,
    find_packaged_country,
    import_open_data,
    list_open_sources,
    remove_open_data,
)
from haulier.kernel.data.clock import utc_now
from haulier.kernel.data.unit_of_work import Database

BUILD_FORMAT = "2"
"""Part of each version. A new number rebuilds regions on their next update."""
WORK = ".work"
SPACE_FACTOR, SPACE_RESERVE = 12, 50_000_000
"""Free space needed to build: a multiple of the extract, and a reserve, in bytes."""
UPLOADS = "region-uploads"
"""Folder of uploaded files, within the work folder."""
FILES = "files"
FEATURES, ADDRESSES, CONTENT = "features.geojsonl", "addresses.geojsonl", "content.json"


class RegionRefused(RegionFault):
    """Raised when a region cannot be installed. The message says why and what to do."""


_NO_ROADS = RegionRemark(code="no_roads", text="The extract has no roads. Travel times stay estimates.")
_NO_BUILDER = RegionRemark(
    code="no_builder", text="valhalla_build_tiles is not installed. Travel times stay estimates."
)
_NO_ADDRESSES = RegionRemark(code="no_addresses", text="The extract has no addresses with house numbers.")


class BuiltContent(Struct, kw_only=True):
    """Facts of an extract that the next steps need. A map alone has none."""

    box: tuple[float, float, float, float] | None = None
    addresses: int = 0
    streets: int = 0
    roads: int = 0
    countries: dict[str, int] = field(default_factory=dict[str, int])


class BuiltFiles(Struct, frozen=True, kw_only=True):
    """Result of the steps that build files."""

    content: BuiltContent
    title: str
    attribution: str
    remarks: tuple[RegionRemark, ...] = ()


class RegionInstaller:
    """Installs regions in a folder and their addresses in a database."""

    def __init__(
        self,
        folder: Path,
        database: Database,
        *,
        progress: OnRegionProgress = lambda state: None,
        countries: BusinessCountries | None = None,
        now: datetime | None = None,
    ) -> None:
        self._folder, self._database, self._progress = folder, database, progress
        self._business_countries = countries
        self._now = now

    async def add(self, source: Path, *, name: str | None = None, title: str | None = None) -> RegionOutcome:
        """Install a region from an extract or a map, replacing an older one.

        Raises `RegionRefused`, `InvalidExtract`, `InvalidMap`, `BuildFailed` or `OSError`.
        """
        name = checked_name(name or region_name(source))
        title = title or _title(name)
        with self._lock(name):
            self._progress(RegionProgress(step="checking"))
            version = await asyncio.to_thread(_version, source, title)
            if self._has(name, version):
                await self._remove_others(name, version)
                return RegionOutcome(region=self._region(name), unchanged=True)
            work = self._work_folder(name, version)
            try:
                built = await asyncio.to_thread(self._build, source, work, title)
                await self._import_addresses(work, f"{_source_prefix(name)}{version}", built.content)
                await self._swap(
                    name, version, work, _manifest(source, work / FILES, version, built, self._now or utc_now())
                )
            except (InvalidExtract, InvalidMap):
                shutil.rmtree(work, ignore_errors=True)
                raise
            except OSError as fault:
                if fault.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                shutil.rmtree(work, ignore_errors=True)
                raise RegionRefused(
                    f"the disk is full. {name} was not changed. Free some space first.", "disk_full"
                ) from fault
            return RegionOutcome(
                region=self._region(name), remarks=(*built.remarks, *await self._remarks(built.content))
            )

    async def update(self, name: str, source: Path | None = None) -> RegionOutcome:
        """Install a region again from its file, or from another one."""
        manifest = self._manifest(checked_name(name))
        if manifest is None:
            raise _unknown(name)
        if source is None and not manifest.source_path:
            raise RegionRefused(f"{manifest.source} was uploaded. Upload the newer file.", "was_uploaded")
        return await self.add(source or Path(manifest.source_path), name=name, title=manifest.title)

    async def remove(self, name: str) -> None:
        """Remove a region with its addresses."""
        with self._lock(checked_name(name)):
            bare = self._folder / f"{name}.pmtiles"
            if self._manifest(name) is None and not bare.is_file():
                raise _unknown(name)
            (self._folder / f"{name}.json").unlink(missing_ok=True)
            bare.unlink(missing_ok=True)
            await self._remove_others(name, None)
            shutil.rmtree(self._folder / name, ignore_errors=True)

    def _region(self, name: str) -> InstalledRegion:
        region = RegionFolder(self._folder).find(name)
        assert region is not None
        return region

    def _has(self, name: str, version: str) -> bool:
        known = self._manifest(name)
        return known is not None and known.version == version and (self._folder / name / version / MAP_FILE).is_file()

    def _manifest(self, name: str) -> RegionManifest | None:
        file = self._folder / f"{name}.json"
        return msgspec.json.decode(file.read_bytes(), type=RegionManifest) if file.is_file() else None

    @contextmanager
    def _lock(self, name: str) -> Generator[None]:
        """Hold the lock of a region, which ends with the process. Raises `RegionRefused`."""
        (self._folder / WORK).mkdir(parents=True, exist_ok=True)
        with (self._folder / WORK / f"{name}.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RegionRefused(f"{name} is being installed already. Wait until that ends.", "busy") from None
            yield

    def _work_folder(self, name: str, version: str) -> Path:
        """Return the work folder of a version, without those of other versions."""
        work = self._folder / WORK / f"{name}@{version}"
        for other in (self._folder / WORK).glob(f"{name}@*"):
            if other != work:
                shutil.rmtree(other, ignore_errors=True)
        work.mkdir(parents=True, exist_ok=True)
        return work

    def _build(self, source: Path, work: Path, title: str) -> BuiltFiles:
        files = work / FILES
        files.mkdir(exist_ok=True)
        with source.open("rb") as file:
            is_map = file.read(len(MAGIC)) == MAGIC
        if is_map:
            header = read_map_header(source)
            self._once(work, "map", lambda: _copy(source, files / MAP_FILE))
            return BuiltFiles(content=BuiltContent(), title=header.name or title, attribution=header.attribution)
        self._require_space(source)
        content = self._read(source, work)
        self._once(work, "map", lambda: self._build_map(work, files, title, content))
        remarks = self._build_roads(source, work, files, content)
        return BuiltFiles(content=content, title=title, attribution=OSM_ATTRIBUTION, remarks=remarks)

    def _require_space(self, source: Path) -> None:
        needed = SPACE_FACTOR * source.stat().st_size + SPACE_RESERVE
        free = shutil.disk_usage(self._folder).free
        if free < needed:
            raise RegionRefused(
                f"building needs about {needed // 1_000_000} MB in {self._folder}, and {free // 1_000_000} MB are free",
                "no_space",
                needed=needed // 1_000_000,
                free=free // 1_000_000,
            )

    def _once(self, work: Path, step: str, run: Callable[[], None]) -> None:
        """Run a step unless it is marked as done."""
        done = work / f"{step}.done"
        if not done.exists():
            self._progress(RegionProgress(step=step))
            run()
            done.touch()

    def _read(self, source: Path, work: Path) -> BuiltContent:
        def run() -> None:
            with (work / FEATURES).open("w", encoding="utf-8") as features:
                found = read_extract(
                    source, features, lambda count: self._progress(RegionProgress(step="reading", count=count))
                )
            countries: dict[str, int] = {}
            count = 0
            with (work / ADDRESSES).open("w", encoding="utf-8") as lines:
                for line in address_lines(found, find_packaged_country):
                    lines.write(line + "\n")
                    properties = json.loads(line)["properties"]
                    code = properties.get("addr:country", "")
                    countries[code] = countries.get(code, 0) + 1
                    count += "addr:housenumber" in properties
            content = BuiltContent(
                box=found.box,
                addresses=count,
                streets=len(found.streets),
                roads=found.roads,
                countries=countries,
            )
            (work / CONTENT).write_bytes(msgspec.json.encode(content))

        self._once(work, "reading", run)
        return msgspec.json.decode((work / CONTENT).read_bytes(), type=BuiltContent)

    def _build_map(self, work: Path, files: Path, title: str, content: BuiltContent) -> None:
        build_tiles(
            work / FEATURES,
            files / MAP_FILE,
            title=title,
            box=content.box or (-180.0, -85.0, 180.0, 85.0),
            progress=lambda percent: self._progress(RegionProgress(step="map", percent=percent)),
        )

    def _build_roads(self, source: Path, work: Path, files: Path, content: BuiltContent) -> tuple[RegionRemark, ...]:
        if not content.roads:
            return (_NO_ROADS,)
        if find_tile_builder() is None or not has_road_library():
            return (_NO_BUILDER,)
        progress = RegionProgress(step="roads")
        cores = max(1, os.cpu_count() or 1)
        self._once(
            work,
            "roads",
            lambda: build_roads(
                source, files / ROADS_FILE, concurrency=cores, hear=lambda line: self._progress(progress)
            ),
        )
        return ()

    async def _import_addresses(self, work: Path, source: str, content: BuiltContent) -> None:
        done = work / "addresses.done"
        if done.exists() or not sum(content.countries.values()):
            return
        self._progress(RegionProgress(step="addresses"))

        def report(counts: OpenDataCounts) -> None:
            self._progress(RegionProgress(step="addresses", count=counts.addresses))

        with (work / ADDRESSES).open(encoding="utf-8") as lines:
            await import_open_data(self._database, lines, source=source, country=None, progress=report)
        done.touch()

    async def _remarks(self, content: BuiltContent) -> list[RegionRemark]:
        if not content.box:
            return []
        remarks = [] if content.addresses else [_NO_ADDRESSES]
        own = await self._business_countries() if self._business_countries else frozenset[str]()
        found = {country for country in content.countries if country}
        if own and found and not own & found:
            params = {"region": ", ".join(sorted(found)), "business": ", ".join(sorted(own))}
            text = f"The region is in {params['region']}, and the business in {params['business']}."
            remarks.append(RegionRemark(code="other_country", text=text, params=params))
        return remarks

    async def _swap(self, name: str, version: str, work: Path, manifest: RegionManifest) -> None:
        """Put a built region in force, then delete the older one."""
        self._progress(RegionProgress(step="installing"))
        target = self._folder / name / version
        target.parent.mkdir(exist_ok=True)
        shutil.rmtree(target, ignore_errors=True)
        (work / FILES).rename(target)
        write_atomically(self._folder / f"{name}.json", msgspec.json.format(msgspec.json.encode(manifest)))
        await self._remove_others(name, version)
        shutil.rmtree(work, ignore_errors=True)

    async def _remove_others(self, name: str, version: str | None) -> None:
        """Delete the files and addresses of other versions."""
        prefix = _source_prefix(name)
        for source in await list_open_sources(self._database, prefix):
            if source != f"{prefix}{version}":
                await remove_open_data(self._database, source)
        folder = self._folder / name
        for other in folder.iterdir() if folder.is_dir() else ():
            if other.name != version:
                shutil.rmtree(other, ignore_errors=True)


def _unknown(name: str) -> RegionRefused:
    if RegionFolder(PACKAGED).find(name):
        return RegionRefused(f"{name} is part of the demo and cannot be changed.", "packaged")
    return RegionRefused(f"there is no region {name}", "unknown", name=name)


def _version(source: Path, title: str) -> str:
    """Return the version of a region that is built here from a file."""
    if not source.is_file():
        raise RegionRefused(f"{source} is not a file", "no_file", file=str(source))
    roads = find_tile_builder() is not None and has_road_library()
    return sha256(f"{BUILD_FORMAT} {file_digest(source)} {roads} {title}".encode()).hexdigest()[:16]


def _manifest(source: Path, files: Path, version: str, built: BuiltFiles, now: datetime) -> RegionManifest:
    header = read_map_header(files / MAP_FILE)
    return RegionManifest(
        title=built.title,
        version=version,
        bounds=header.bounds,
        center=header.center,
        zooms=header.zooms,
        attribution=built.attribution,
        digest=file_digest(files / MAP_FILE),
        size=sum(file.stat().st_size for file in files.iterdir()),
        updated_at=now.replace(microsecond=0),
        roads=(files / ROADS_FILE).is_file(),
        addresses=built.content.addresses,
        streets=built.content.streets,
        source=source.name,
        source_path="" if UPLOADS in source.parts else str(source.resolve()),
    )


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)


def _source_prefix(name: str) -> str:
    """Return the beginning of the names of a region's address sources."""
    return f"region:{name}:"


def region_name(source: Path) -> str:
    """Return the name of the region of a file, without `-latest`."""
    stem = source.name.lower().partition(".")[0].removesuffix("-latest")
    return "-".join("".join(sign if sign.isascii() and sign.isalnum() else " " for sign in stem).split())[:63]


def checked_name(name: str) -> str:
    """Return a valid name. Raises `RegionRefused`."""
    if not REGION_NAME.match(name):
        raise RegionRefused(
            f"{name!r} is not a name of a region. Use lower-case letters, digits and hyphens.", "invalid_name"
        )
    return name


def _title(name: str) -> str:
    return name.replace("-", " ").title()


def write_atomically(file: Path, content: bytes) -> None:
    """Replace a file at once, also when the machine stops."""
    new = file.with_name(f"{WORK}-{file.name}")
    with new.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    new.replace(file)
