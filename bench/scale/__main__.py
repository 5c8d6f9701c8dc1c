"""Invariants under failures, and cost of nodes: `python -m bench.scale`.

Nodes die, clocks differ, listeners are disconnected and a primary fails.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.scale.costs import measure_costs
from bench.scale.staleness import measure_staleness
from bench.scale.storm import Storm, run_storm

RESULTS = Path(__file__).parent.parent / "SCALE.md"


def parse_options() -> argparse.Namespace:
    given = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    given.add_argument("--seconds", type=float, default=60, help="how long each storm lasts")
    given.add_argument("--rounds", type=int, default=10_000, help="rounds of write, notice and read")
    given.add_argument(
        "--only", choices=("storm", "fail-over", "staleness", "costs"), help="one part, and keep no page"
    )
    return given.parse_args()


def storm_page(title: str, storm: Storm) -> Iterator[str]:
    """Yield the lines of one storm."""
    findings, account = run_storm(storm)
    yield f"## {title}"
    yield ""
    nodes = f"{storm.servers} servers and {storm.workers} workers"
    yield f"{nodes}, one worker's clock a minute fast, {storm.seconds:.0f} s."
    yield ""
    yield "| invariant | observation | held |"
    yield "| --- | --- | --- |"
    yield from (f"| {each.what} | {each.seen} | {'yes' if each.held else '**no**'} |" for each in findings)
    yield ""
    yield from (f"- {line}" for line in account)
    yield ""


def main() -> int:
    """Print and store the page; return 1 if an invariant was broken."""
    given = parse_options()
    parts = {
        "storm": lambda: storm_page("Kills and disconnected listeners", Storm(seconds=given.seconds)),
        "fail-over": lambda: storm_page(
            "The same with a replica and a failover", Storm(seconds=given.seconds, replica=True, fail_over=True)
        ),
        "staleness": lambda: measure_staleness(given.rounds),
        "costs": measure_costs,
    }
    lines = ["# Scale", "", "`make scale`", ""]
    for name, part in parts.items():
        if given.only in (None, name):
            for line in part():
                print(line, flush=True)
                lines.append(line)
    if given.only is None:
        RESULTS.write_text("\n".join(lines).rstrip() + "\n")
    return int(any("**no**" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
