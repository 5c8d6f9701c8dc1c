"""A web shop's day with each SDK, in at most 60 lines, on a bad network."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts.sdk.generate import PYTHON
from tests.sdk.faulty_proxy import DROP_AFTER, DROP_BEFORE, faulty_proxy
from tests.sdk.running import Running
from tests.sdk.typescript_programs import run_program

PROGRAMS = Path(__file__).parent / "programs"
ORDERS = [f"DAY-{number}" for number in range(8)]


def run_python(*words: str) -> Any:
    environment = {**os.environ, "PYTHONPATH": str(PYTHON.parent)}
    command = [sys.executable, str(PROGRAMS / "day.py"), *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("language", ["py", "ts"])
def test_a_shop_creates_prints_hears_and_reads_every_order_once(running: Running, language: str) -> None:
    key = running.key_for_tests(f"day-{language}")
    with faulty_proxy(running.base) as proxy:
        proxy.faults = [DROP_AFTER, (503, {"Retry-After": "0"}), DROP_BEFORE, (429, {"Retry-After": "1"})]
        words = (running.base, proxy.base, key)
        day = run_python(*words) if language == "py" else run_program("day", *words)
    assert (day["label"], day["moved"]) == ("%PDF", "delivered")
    assert [ref for ref in day["met"] if ref != "LATE"] == ORDERS
    assert day["refused"] == "consignee.country"
    assert day["told"] == sorted(f"order.created {ref}" for ref in [*ORDERS, "LATE"])


@pytest.mark.parametrize("name", ["day.py", "day.ts"])
def test_the_day_takes_at_most_sixty_lines(name: str) -> None:
    assert len((PROGRAMS / name).read_text().splitlines()) <= 60
