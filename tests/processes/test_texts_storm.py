"""An SMS campaign survives killed servers: each recipient gets one message."""

from pathlib import Path

from tests.processes.texts_storm import storm

from haulier.contexts.messaging.campaigns.actions.dispatch import BATCH

RECIPIENTS = 200


def test_each_recipient_gets_at_most_one_message_with_a_correct_status(tmp_path: Path, database_url: str) -> None:
    assert storm(tmp_path, database_url, RECIPIENTS, kills=1).faults(RECIPIENTS, unknown=BATCH) == []
