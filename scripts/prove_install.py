"""Check of the installation commands of the README, and of every extra.

Run `make prove`. Everything is installed into empty environments in an empty folder: from `requirements.txt`, from the
wheel, and from the wheel with one extra each: an environment of an extra reads the packages of the wheel's and adds its
own. The clone contains committed files only. Times are reported but not checked, because they depend on the machine.
"""

import re
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts.postgres_server import Postgres, run_postgres
from scripts.stranger import PYTHON, ROOT, Unproved, demo_here, run, serving

PERSON = {"email": "ada@stranger.example", "password": "four-long-words-here"}
WITH_AN_ENVIRONMENT = {"pip", "setuptools", "haulier"}
COUNTING = """
from importlib.metadata import distributions
from os.path import getsize
paths = (file.locate() for one in distributions() if one.name not in ("pip", "setuptools") for file in one.files or ())
print(sum(getsize(path) for path in paths if path.exists()))
"""
"""Prints the total size of installed files, including byte code, without pip and setuptools."""


def main() -> int:
    """Run all checks, or report what failed."""
    if changed := run("git", "status", "--porcelain", at=ROOT):
        print(f"note: a clone has committed files only; these changes are not covered:\n{changed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="haulier-stranger-") as folder, run_postgres() as postgres:
        try:
            clone = from_a_clone(Path(folder), postgres)
            from_a_wheel(wheel(clone), Path(folder), postgres)
        except (Unproved, subprocess.TimeoutExpired) as fault:
            print(f"NOT PROVED: {fault}", file=sys.stderr)
            return 1
    print("proved: both commands and every extra, in empty environments")
    return 0


def from_a_clone(folder: Path, postgres: Postgres) -> Path:
    """Run `make run` in a clean clone with pip."""
    print("clean clone, requirements.txt only:", flush=True)
    clone, began = folder / "haulier", time.monotonic()
    make = ("make", "run", f"PY={PYTHON}")
    run("git", "clone", "--quiet", "--no-local", ROOT, clone, at=folder)
    demo_here(*make, at=clone, what="make run, from nothing, with pip", began=began, INSTALLER="pip")
    alone(clone / ".venv" / "bin" / "python", clone / "requirements.txt")
    demo_here(*make, at=clone, what="make run, again")
    demo_here(*make, at=clone, what="make run, on PostgreSQL", HAULIER_DATABASE=postgres.empty("cloned"))
    began = time.monotonic()
    run(clone / ".venv" / "bin" / "haulier", "--help", at=folder)
    print(f"  haulier --help: {time.monotonic() - began:.2f} s", flush=True)
    return clone


def alone(python: Path, requirements: Path) -> None:
    """Check that an environment contains exactly the packages of a lock file."""
    listed = run(python, "-m", "pip", "list", "--format=freeze", at=requirements.parent)
    there = {_normal(line.partition("==")[0]) for line in listed.splitlines() if "==" in line}
    named = {_normal(line.partition("==")[0]) for line in requirements.read_text().splitlines() if "==" in line}
    if more := there - named - WITH_AN_ENVIRONMENT:
        raise Unproved(f"the environment has packages that are not in {requirements.name}: {', '.join(sorted(more))}")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.strip().partition("[")[0]).lower()


def wheel(clone: Path) -> Path:
    """Build the documentation site and the wheel in a clone."""
    commands = installed(clone.parent / "docs", "--requirement", str(clone / "requirements-docs.txt"))
    began = time.monotonic()
    run(commands / "mkdocs", "build", "--strict", "--quiet", at=clone, NO_MKDOCS_2_WARNING="1")
    print(f"  documentation site: {time.monotonic() - began:.0f} s", flush=True)
    run(PYTHON, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", clone / "dist", clone, at=clone)
    (built,) = (clone / "dist").glob("haulier-*.whl")
    print(f"  {built.name}: {built.stat().st_size / 1e6:.1f} MB", flush=True)
    return built


def from_a_wheel(built: Path, folder: Path, postgres: Postgres) -> None:
    """Install the wheel into an empty environment: demo, new business, and each extra."""
    print("wheel only:", flush=True)
    commands = installed(folder / "wheel", str(built))
    print(
        f"  its files and those of what it needs: {int(run(commands / 'python', '-c', COUNTING, at=folder)) / 1e6:.0f} MB"
    )
    for what, database in {"SQLite": "sqlite:///var/haulier.db", "PostgreSQL": postgres.empty("demo")}.items():
        at = folder / f"empty-{what}"
        at.mkdir()
        demo_here(commands / "haulier", "serve", "--demo", at=at, what=f"demo on {what}", HAULIER_DATABASE=database)
        own = "sqlite:///own.db" if what == "SQLite" else postgres.empty("own")
        make_business(commands / "haulier", at, what, own)
    check_extras(built, folder, commands.parent)


def check_extras(built: Path, folder: Path, base: Path) -> None:
    """Install and use each extra, two at a time."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    with ThreadPoolExecutor(max_workers=2) as pool:
        for line in pool.map(lambda extra: check_extra(extra, built, folder, base), extras):
            print(line, flush=True)


def check_extra(extra: str, built: Path, folder: Path, base: Path) -> str:
    """Install and use one extra; return a line with its output.

    It is installed on top of the environment of the wheel.
    """
    use = ROOT / "scripts" / "extras" / f"{extra}.py"
    if not use.exists():
        raise Unproved(f"no script checks the extra {extra}: {use.relative_to(ROOT)} is missing")
    began = time.monotonic()
    commands = installed(folder / extra, f"{built}[{extra}]", on=base)
    said = run(commands / "python", use, at=folder, PYTHONPATH=str(ROOT)).strip()
    return f"  extra {extra}, {time.monotonic() - began:.0f} s: {said}"


def installed(environment: Path, *what: str, on: Path | None = None) -> Path:
    """Install a package or a lock into a new environment; return its commands.

    The environment also reads the packages of `on`.
    """
    began = time.monotonic()
    run(PYTHON, "-m", "venv", environment, at=environment.parent)
    if on is not None:
        (site,), (below,) = environment.glob("lib/*/site-packages"), on.glob("lib/*/site-packages")
        (site / "base.pth").write_text(f"{below}\n")
    run(environment / "bin" / "python", "-m", "pip", "install", "--quiet", *what, at=environment.parent)
    if on is None:
        print(f"  pip install {Path(what[-1]).name}: {time.monotonic() - began:.0f} s", flush=True)
    return environment / "bin"


def make_business(haulier: Path, at: Path, what: str, database: str) -> None:
    """Set up a business as in production: migrate, add a user, serve."""
    here = {"HAULIER_DATABASE": database, "HAULIER_LOG_FORMAT": "json"}
    run(haulier, "db", "upgrade", at=at, **here)
    who = ("--client", "stranger", "--password", PERSON["password"])
    run(haulier, "user", "add", PERSON["email"], *who, at=at, **here)
    with serving(haulier, "serve", at=at, more=here) as visit:
        visit.one_order(PERSON)
        visit.documentation()
        visit.stop()
    print(f"  haulier db upgrade, user add, serve on {what}: signed in, ordered, tracked, stopped", flush=True)


if __name__ == "__main__":
    sys.exit(main())
