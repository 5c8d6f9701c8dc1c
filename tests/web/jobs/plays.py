"""What plays of the jobs cost, kept in a file as they are played: `python -m bench.jobs` makes a page of them."""

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
    """A job in one language, at one size and in one scheme: what it cost, and whether it was done within its budget."""

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
    """How many processes wanted a processor in the minute before."""

    @property
    def what(self) -> tuple[str, str, str, str]:
        """What was played; a later play of the same counts instead of an earlier one."""
        return self.job, self.language, self.size, self.scheme


def keep(job: str, taste: tuple[str, str, str], spent: tuple[int, int, float], *, passed: bool) -> None:
    """Add a play to the file, if there is to be one."""
    if not (file := os.environ.get(KEPT)):
        return
    clicks, keys, seconds = spent
    ended, load = f"{datetime.now(UTC):%Y-%m-%d %H:%M}", round(psutil.getloadavg()[0], 1)
    play = Play(job, *taste, clicks, keys, round(seconds, 2), passed=passed, at=ended, load=load)
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    with Path(file).open("a") as kept:
        kept.write(json.dumps(asdict(play)) + "\n")


def plays_of(file: Path) -> list[Play]:
    """The last play of each, in the order of their names."""
    lines = file.read_text().splitlines() if file.exists() else []
    plays = [Play(**json.loads(line)) for line in lines]
    return sorted({play.what: play for play in plays}.values(), key=lambda play: play.what)
