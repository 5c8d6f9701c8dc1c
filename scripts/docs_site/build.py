"""Build of the documentation site. Run `make docs`."""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "docs"
SOURCES = (
    "docs",
    "scripts/docs_site",
    "mkdocs.yml",
    "pyproject.toml",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
)


class BuildError(Exception):
    """Raised with the output of a build that failed or printed a warning."""


def build_site() -> None:
    """Build the site; raises `BuildError` for any warning."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if ran.returncode or ran.stdout.strip():
        raise BuildError(ran.stdout)


def build_site_if_stale() -> Path:
    """Build the site unless it is newer than its sources; return its folder.

    Several processes may call it at once.
    """
    SITE.parent.mkdir(exist_ok=True)
    with (SITE.parent / "docs.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        index = SITE / "index.html"
        if not index.exists() or index.stat().st_mtime < max(path.stat().st_mtime for path in _sources()):
            build_site()
    return SITE


def _sources() -> Iterator[Path]:
    for name in SOURCES:
        path = ROOT / name
        yield from path.rglob("*.*") if path.is_dir() else [path]


def main() -> int:
    """Build the site and print its size."""
    began = time.monotonic()
    try:
        build_site()
    except BuildError as fault:
        print(fault, file=sys.stderr)
        return 1
    files = [path for path in SITE.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{SITE.relative_to(ROOT)}: {len(files)} files, {size:.1f} MB, in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
