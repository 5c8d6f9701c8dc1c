"""`python -m bench.jobs`: the twelve everyday jobs: clicks, keys, and how long people wait for the machine.

Each job is played in English, on a desk and on a phone, several times. With hands, a click is reckoned as 1.5 seconds and a key
as 0.3 (a keystroke-level model: pointing and pressing, typing of somebody who is no typist), and no time to think.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser
from rich.console import Console
from tests.support.databases import demo_file
from tests.support.live import a_server
from tests.web.browser import open_browser
from tests.web.jobs.jobs import JOBS, Job
from tests.web.jobs.stage import SIZES, Stage, Taste

from bench.page import circumstances, markdown_table

RESULTS = Path(__file__).with_name("JOBS.md")
CLICK_S, KEY_S = 1.5, 0.3
COLUMNS = ("job", "clicks (of)", "keys (of)", "waiting, desk s", "waiting, phone s", "budget s", "with hands s")


def main() -> int:
    """Play, print, keep; 1 when a job takes longer than its budget."""
    parser = argparse.ArgumentParser(prog="python -m bench.jobs", description=__doc__)
    parser.add_argument("--turns", type=int, default=1)
    turns = parser.parse_args().turns
    with open_browser() as browser:
        measured = [measure(browser, job, turns) for job in JOBS]
    missed = [row[0] for row, waited, job in measured if waited > job.seconds]
    lines = [
        "# Everyday jobs in a browser",
        "",
        "Clicks, keys and seconds of waiting for the machine, in the middle of several plays. With hands, a click is reckoned",
        f"as {CLICK_S} s and a key as {KEY_S} s, on a desk; no time to think is reckoned.",
        "",
        *circumstances(),
        "",
        *markdown_table(COLUMNS, [row for row, _, _ in measured]),
        "",
        *(
            ["Longer than the budget:", "", *(f"- {name}" for name in missed)]
            if missed
            else ["Every job is within its budget."]
        ),
    ]
    Console().print("\n".join(lines))
    RESULTS.write_text("\n".join([*lines, ""]))
    return int(bool(missed))


def measure(browser: Browser, job: Job, turns: int) -> tuple[list[str], float, Job]:
    """A row of the table, and the longer of the two waits."""
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
    """Clicks, keys and seconds of one play, on a business that nobody worked in before."""
    with tempfile.TemporaryDirectory() as folder:
        database = demo_file(Path(folder))
        with a_server(Path(folder), database=database) as base:
            stage = Stage(browser, base, database, Taste("en", size, "light"))
            job.play(stage)
    people = stage.people
    return sum(each.clicks for each in people), sum(each.keys for each in people), sum(each.seconds for each in people)


if __name__ == "__main__":
    sys.exit(main())
