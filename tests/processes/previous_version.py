"""The code of the version before, taken from the history of git."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from haulier.adapters.revisions import known_revisions

ROOT = Path(__file__).parents[2]
VARIABLE = "HAULIER_TEST_PREVIOUS"
"""Names the commit or tag to use instead."""
VERSIONS = "src/haulier/migrations/versions"


def git(*words: str) -> str:
    """Return what git prints."""
    ran = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        pytest.skip(f"no version before in the history: git {words[0]}: {ran.stderr.strip()[:200]}")
    return ran.stdout.strip()


def find_previous_version() -> str:
    """Return the newest tag, or else commit, with fewer migrations.

    Skips the test where there is no history.
    """
    if named := os.environ.get(VARIABLE):
        return named
    for tag in git("tag", "--list", "v*", "--sort=-version:refname").split():
        if _newest_revision_of(tag) < known_revisions()[-1]:
            return tag
    (head,) = (ROOT / VERSIONS).glob(f"{known_revisions()[-1]}_*.py")
    added = git("log", "--diff-filter=A", "--format=%H", "-1", "--", str(head.relative_to(ROOT)))
    return f"{added}^" if added else "HEAD"


def export_source(version: str, folder: Path) -> Path:
    """Write the source of a version into a folder, and return its package folder."""
    git("rev-parse", "--verify", f"{version}^{{commit}}")
    archive = folder / "source.tar"
    git("archive", "--format=tar", f"--output={archive}", version, "src")
    subprocess.run(["tar", "-xf", str(archive), "-C", str(folder)], check=True)
    return folder / "src"


def revision_of(source: Path) -> str:
    """Return the newest revision that a source knows."""
    code = "from haulier.adapters.revisions import newest_revision as newest; print(newest())"
    environment = {**os.environ, "PYTHONPATH": str(source)}
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=source, env=environment, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def _newest_revision_of(version: str) -> str:
    files = git("ls-tree", "--name-only", version, f"{VERSIONS}/").splitlines()
    return max(Path(file).name[:4] for file in files if Path(file).name[0].isdigit())
