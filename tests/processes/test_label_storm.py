"""No label is lost or bought twice with an unreliable carrier and killed servers."""

from pathlib import Path

from tests.processes.label_storm import faults_after, storm

PURCHASES = 40


def test_labels_at_the_carrier_are_the_labels_that_we_hold_and_the_money_that_we_posted(tmp_path: Path) -> None:
    ledger, database = storm(tmp_path, purchases=PURCHASES, kills=1)
    assert len(ledger.sold) > PURCHASES // 2
    assert faults_after(ledger, database, PURCHASES) == []
