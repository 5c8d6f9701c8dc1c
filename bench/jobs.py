"""Effort of the everyday tasks: `python -m bench.jobs`.

It counts clicks and keys and measures waiting times. Each task is played several times in English, at desktop and phone
size. By a keystroke-level model, a click counts 1.5 seconds and a key 0.3 (pointing and pressing, typing by an average
user), without time to think. Results of earlier runs of `make jobs`, in every language, at both sizes, light and dark,
follow below.
"""

import argparse
import itertools
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser
from rich.console import Console
from tests.support.databases import demo_file
from tests.support.live import make_server
from tests.web.browser import open_browser
from tests.web.jobs.jobs import JOBS, Job
from tests.web.jobs.plays import Play, plays_of
from tests.web.jobs.stage import EVERY_TASTE, LANGUAGES, SCHEMES, SIZES, Stage, Taste

from bench.page import circumstances, markdown_table

RESULTS = Path(__file__).with_name("JOBS.md")
CLICK_S, KEY_S = 1.5, 0.3
KEPT = Path(__file__).parents[1] / "var" / "jobs.jsonl"
WAYS = [*itertools.product(SIZES, SCHEMES)]
MATRIX_COLUMNS = (
    "job",
    "done",
    "clicks (of)",
    "keys (of)",
    "waiting, desk s",
    "waiting, phone s",
    "longest s",
    "budget s",
)
COLUMNS = ("job", "clicks (of)", "keys (of)", "waiting, desk s", "waiting, phone s", "budget s", "with hands s")


def main() -> int:
    """Play, print and store results; return 1 if a task exceeds its budget."""
    parser = argparse.ArgumentParser(prog="python -m bench.jobs", description=__doc__)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--kept", type=Path, default=KEPT, help="where `make jobs` keeps what plays cost")
    options = parser.parse_args()
    with open_browser() as browser:
        measured = [measure(browser, job, options.turns) for job in JOBS]
    missed = [row[0] for row, waited, job in measured if waited > job.seconds]
    lines = [
        "# Everyday tasks in a browser",
        "",
        "Clicks, keys and seconds of waiting, medians of several plays. By the keystroke-level model, a click counts",
        f"{CLICK_S} s and a key {KEY_S} s, on a desktop; time to think is not included.",
        "",
        *circumstances(),
        "",
        *markdown_table(COLUMNS, [row for row, _, _ in measured]),
        "",
        *(
            ["Longer than the budget:", "", *(f"- {name}" for name in missed)]
            if missed
            else ["Every task is within its budget."]
        ),
        *matrix_lines(plays_of(options.kept)),
    ]
    Console().print("\n".join(lines))
    RESULTS.write_text("\n".join([*lines, ""]))
    return int(bool(missed))


def matrix_lines(plays: list[Play]) -> list[str]:
    """Return the results of `make jobs` by task, and by language, size and scheme."""
    if not plays:
        return []
    wanted = {(job.name, taste.language, taste.size, taste.scheme) for job in JOBS for taste in EVERY_TASTE}
    plays = [play for play in plays if play.what in wanted]
    missing = sorted(wanted - {play.what for play in plays})
    failed = [", ".join(play.what) for play in plays if not play.passed]
    loads, times = [play.load for play in plays], sorted(play.at for play in plays)
    return [
        "",
        "## In every language, at both sizes, light and dark",
        "",
        f"- `make jobs`, two plays at a time; {times[0]} to {times[-1]} UTC; load average {min(loads)} to {max(loads)},",
        f"  median {statistics.median(loads):.1f}: other work was running, so compare seconds only with each other",
        f"- {len(plays)} of {len(wanted)} played, {len(plays) - len(failed)} of them within their limits of clicks and keys",
        *(f"- not done: {each}" for each in failed),
        *(f"- not played: {', '.join(each)}" for each in missing),
        "",
        *markdown_table(MATRIX_COLUMNS, [matrix_row(job, plays) for job in JOBS]),
        "",
        "Successful of all plays, and total seconds of waiting of all tasks:",
        "",
        *markdown_table(("language", *(" ".join(way) for way in WAYS)), [taste_row(each, plays) for each in LANGUAGES]),
    ]


def matrix_row(job: Job, plays: list[Play]) -> list[str]:
    """Return a task in all languages: maximum clicks and keys, and median waits."""
    mine = [play for play in plays if play.job == job.name]
    if not mine:
        return [job.name, *["-"] * (len(MATRIX_COLUMNS) - 1)]
    waits = [[play.seconds for play in mine if play.size == size] for size in SIZES]
    counts = f"{max(play.clicks for play in mine)} ({job.clicks})", f"{max(play.keys for play in mine)} ({job.keys})"
    middle = (f"{statistics.median(each):.1f}" if each else "-" for each in waits)
    longest = max(play.seconds for play in mine)
    done = f"{sum(play.passed for play in mine)}/{len(mine)}"
    return [job.name, done, *counts, *middle, f"{longest:.1f}", f"{job.seconds:.1f}"]


def taste_row(language: str, plays: list[Play]) -> list[str]:
    """Return a language: successful plays and waits, by size and scheme."""
    row = [language]
    for way in WAYS:
        mine = [play for play in plays if (play.language, play.size, play.scheme) == (language, *way)]
        row.append(f"{sum(play.passed for play in mine)}/{len(mine)}, {sum(play.seconds for play in mine):.0f} s")
    return row


def measure(browser: Browser, job: Job, turns: int) -> tuple[list[str], float, Job]:
    """Return a row of the table, and the longer of the two waits."""
    waits: list[float] = []
    clicks = keys = 0
    for size in SIZES:
        played = [play(browser, job, size) for _ in range(turns)]
        waits.append(statistics.median(each[2] for each in played))
        clicks, keys = max(clicks, played[0][0]), max(keys, played[0][1])
    hands = waits[0] + clicks * CLICK_S + keys * KEY_S
    counts = [f"{clicks} ({job.clicks})", f"{keys} ({job.keys})"]
    return [job.name, *counts, *(f"{each:.1f}" for each in (*waits, job.seconds, hands))], max(waits), job


def play(browser: Browser, job: Job, size: str) -> tuple[int, int, float]:
    """Play one task in a new business; return clicks, keys and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        database = demo_file(Path(folder))
        with make_server(Path(folder), database=database) as base:
            stage = Stage(browser, base, database, Taste("en", size, "light"))
            job.play(stage)
    return stage.spent


if __name__ == "__main__":
    sys.exit(main())
