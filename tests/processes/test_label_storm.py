"""No label is lost or bought twice with an unreliable carrier and killed servers."""

from pathlib import Path

from tests.processes.label_storm import faults_after, storm

PURCHASES = 40


def test_carrier_labels_match_our_labels_and_postings_after_kills(tmp_path: Path) -> None:
    ledger, database = storm(tmp_path, purchases=PURCHASES, kills=1)
    assert len(ledger.sold) > PURCHASES // 2
    assert faults_after(ledger, database, PURCHASES) == []
