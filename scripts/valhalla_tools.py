"""Valhalla's builder of road tiles, for Python versions without its wheel.

The wheel for Python 3.12 contains programs that need no Python. Run `python -m scripts.valhalla_tools` to unpack them
beside the environment.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from haulier.adapters.regions.roads import find_tile_builder

VERSION = "3.9.1"
FOLDER = Path(sys.prefix) / "valhalla-tools"


def install_valhalla_tools() -> Path:
    """Return the builder, after unpacking the wheel if necessary. Raises `OSError`."""
    if builder := find_tile_builder():
        return builder
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--python-version=3.12", f"--dest={work}", f"pyvalhalla=={VERSION}"]
        if subprocess.run(command, check=False, capture_output=True).returncode:
            raise OSError(f"the wheel of pyvalhalla {VERSION} could not be downloaded")
        for wheel in Path(work).glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(FOLDER)
    for program in (FOLDER / "valhalla" / "bin").iterdir():
        program.chmod(0o755)
    builder = find_tile_builder()
    if builder is None:
        raise OSError(f"the wheel of pyvalhalla {VERSION} contains no builder for this machine")
    return builder


if __name__ == "__main__":
    print(install_valhalla_tools())
