"""Cost of a turn of the operations agent without its model.

Run `python -m bench.agent`. The model responds immediately. A turn consists of a posted question, a job that calls the
model and tools, and stored events.
"""

import argparse
import asyncio
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from tests.contexts.control_tower.agent.makers import (
    asked,
    calls,
    has_agent,
    make_session,
    says,
    table_rows,
    with_model,
)
from tests.support.app import App, make_app
from tests.support.transport import make_order

from bench.databases import database_address, private_cluster
from haulier.contexts.control_tower.ports import ModelReply

PAGE = Path(__file__).parent / "AGENT.md"
TURNS, ORDERS = 41, 50
console = Console(width=120)


class TurnCost(NamedTuple):
    """Median cost of a kind of turn."""

    name: str
    cpu_ms: float
    wall_ms: float


def kinds() -> dict[str, Callable[[], Sequence[ModelReply]]]:
    """Return the model responses of each kind of turn."""
    digest, orders = ("daily_digest", {}), ("get_orders", {"per_page": 20})
    hold = ("hold_order", {"order_id": 1, "confirm": True})
    return {
        "words alone": lambda: [says("Good morning.")],
        "one tool": lambda: [calls(digest), says("All is well.")],
        "three tools, one after the other": lambda: [calls(digest), calls(orders), calls(digest), says("All is well.")],
        "a write, which becomes a proposal": lambda: [calls(hold), says("Held, once you agree.")],
    }


async def measure(database: str, url: str) -> list[tuple[str, TurnCost]]:
    """Measure each kind of turn on one database."""
    async with make_app(url, rate_limits=False) as app:
        await has_agent(app)
        await app.answer("admin", "set_agent_policy", {"daily_turns": 1000})
        for _ in range(ORDERS):
            await make_order(app)
        return [(database, await cost_of(app, name, replies)) for name, replies in kinds().items()]


async def cost_of(app: App, name: str, replies: Callable[[], Sequence[ModelReply]]) -> TurnCost:
    """Return the median cost of the turns, after two to warm up."""
    cpu, wall = list[float](), list[float]()
    for _ in range(TURNS + 2):
        session = await make_session(app)
        with_model(app, *replies())
        begun = time.process_time(), time.perf_counter()
        turn = await asked(app, "How is the day?", session_id=session)
        cpu.append(time.process_time() - begun[0])
        wall.append(time.perf_counter() - begun[1])
        assert turn.turn.status == "done", turn
    assert await table_rows(app, "agent_event")
    return TurnCost(name, statistics.median(cpu[2:]) * 1000, statistics.median(wall[2:]) * 1000)


def main() -> None:
    """Measure and write the results page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--look", action="store_true", help="write no page")
    options = parser.parse_args()
    rows: list[tuple[str, TurnCost]] = []
    with private_cluster(options.databases):
        for database in options.databases:
            with database_address(database) as url, console.status(f"turns, {database}"):
                rows += asyncio.run(measure(database, url))
    lines = [f"| {name} | {each.name} | {each.cpu_ms:.1f} | {each.wall_ms:.1f} |" for name, each in rows]
    console.print("\n".join(lines))
    if not options.look:
        write_page(lines)


def write_page(lines: Sequence[str]) -> None:
    """Write the results page."""
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    machine = f"{platform.system()}, {os.cpu_count()} cores, Python {platform.python_version()}, load average {load}"
    PAGE.write_text(
        f"""# Cost of a turn of the operations agent

Measured by `python -m bench.agent` on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC: {machine}.
Medians of {TURNS} turns of an administrator with all tools; the model responds immediately. Times run
from the post until the turn is done and has been read again: processor milliseconds of this process, and wall-clock
milliseconds.

| database | turn | processor ms | clock ms |
| --- | --- | ---: | ---: |
"""
        + "\n".join(lines)
        + "\n"
    )


if __name__ == "__main__":
    main()
