"""Tests of changed files, found by folder names.

`python scripts/changed_tests.py [COMMIT]` prints paths for pytest for changes since a commit, or for uncommitted
changes.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CODE = Path("src/haulier")
ALWAYS = ("tests/invariants/test_code_rules.py",)
ELSEWHERE = {
    "src/haulier/locales": ("tests/invariants/test_catalogues.py", "tests/invariants/test_messages.py"),
    "src/haulier/migrations": ("tests/adapters/test_migrations.py",),
    "docs": ("tests/docs",),
    "README.md": ("tests/docs/test_readme.py",),
    "ARCHITECTURE.md": ("tests/docs/test_architecture.py",),
    "published": ("tests/invariants/test_published.py",),
}
"""Folders and files with tests under a different name."""


def changed_files(since: str | None) -> list[str]:
    """Return the files that differ from a commit, and untracked files."""
    differing = ["git", "diff", "--name-only", since or "HEAD"]
    unknown = ["git", "ls-files", "--others", "--exclude-standard"]
    listed = [
        subprocess.run(c, cwd=ROOT, check=True, capture_output=True, text=True).stdout for c in (differing, unknown)
    ]
    return sorted({line for text in listed for line in text.splitlines()})


def matching_tests(file: str, root: Path = ROOT) -> list[str]:
    """Return the tests of a file as paths from the root; empty if there are none."""
    for place, tests in ELSEWHERE.items():
        if file == place or file.startswith(f"{place}/"):
            return list(tests)
    path = Path(file)
    if path.parts[:1] == ("tests",):
        return [file if path.name.startswith("test_") else str(path.parent)] if (root / file).exists() else []
    if path.is_relative_to(CODE):
        return _nearest_folder(path.relative_to(CODE), root)
    return []


def _nearest_folder(inner: Path, root: Path) -> list[str]:
    """Return the deepest test folder named after a parent folder of the file."""
    for folder in inner.parents:
        tests = Path("tests") / folder
        if folder != Path() and (root / tests).is_dir():
            return [str(tests)]
    return ["tests/invariants"]


def main() -> None:
    """Print the tests, without those inside other listed folders."""
    found = {
        test for file in changed_files(sys.argv[1] if len(sys.argv) > 1 else None) for test in matching_tests(file)
    }
    paths = sorted(found | set(ALWAYS))
    print(*(path for path in paths if not any(Path(path).is_relative_to(other) for other in paths if other != path)))


if __name__ == "__main__":
    main()
