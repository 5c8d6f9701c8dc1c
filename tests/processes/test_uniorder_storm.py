"""A job of 500 unified orders survives killed servers without loss or repeats."""

from pathlib import Path

from tests.processes.uniorder_storm import storm


def test_a_job_of_500_goes_on_after_its_server_was_killed_with_nothing_twice_and_nothing_lost(tmp_path: Path) -> None:
    assert storm(tmp_path, size=500, kills=1) == []
