"""Cost of task runs, stored in a file for the page of `python -m bench.jobs`."""

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil

KEPT = "JOBS_KEPT"
"""The variable that names the file; without it nothing is kept."""


@dataclass(frozen=True)
class Play:
    """A task in one language, size and scheme: its cost, and if it met its limits."""

    job: str
    language: str
    size: str
    scheme: str
    clicks: int
    keys: int
    seconds: float
    """Of waiting for the machine."""
    passed: bool
    at: str
    """When it ended, in UTC."""
    load: float
    """System load over the previous minute."""

    @property
    def what(self) -> tuple[str, str, str, str]:
        """Return the key of the run; a later run with the same key replaces it."""
        return self.job, self.language, self.size, self.scheme


def keep(job: str, taste: tuple[str, str, str], spent: tuple[int, int, float], *, passed: bool) -> None:
    """Add a run to the file, if there is one."""
    if not (file := os.environ.get(KEPT)):
        return
    clicks, keys, seconds = spent
    ended, load = f"{datetime.now(UTC):%Y-%m-%d %H:%M}", round(psutil.getloadavg()[0], 1)
    play = Play(job, *taste, clicks, keys, round(seconds, 2), passed=passed, at=ended, load=load)
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    with Path(file).open("a") as kept:
        kept.write(json.dumps(asdict(play)) + "\n")


def plays_of(file: Path) -> list[Play]:
    """Return the last run of each key, ordered by name."""
    lines = file.read_text().splitlines() if file.exists() else []
    plays = [Play(**json.loads(line)) for line in lines]
    return sorted({play.what: play for play in plays}.values(), key=lambda play: play.what)
