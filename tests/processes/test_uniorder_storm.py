"""A job of 500 unified orders survives killed servers without loss or repeats."""

from pathlib import Path

from tests.processes.uniorder_storm import storm


def test_a_job_of_500_resumes_after_a_server_kill_without_duplicates_or_loss(tmp_path: Path) -> None:
    assert storm(tmp_path, size=500, kills=1) == []
