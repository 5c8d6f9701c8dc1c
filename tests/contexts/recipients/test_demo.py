"""The demo business sends recipient messages, so that they can be viewed."""

import json
from pathlib import Path

from haulier.demo import ensure_demo
from haulier.demo.people import recipient_of
from haulier.settings import Settings

SUBJECTS = {"Your parcel is out for delivery", "Your parcel was delivered", "We missed you"}


async def test_the_demo_writes_recipient_messages_to_a_file(database_url: str, tmp_path: Path) -> None:
    outbox = tmp_path / "mail.jsonl"
    await ensure_demo(Settings(database=database_url, demo=True, mail=f"file:{outbox}"))
    written = [json.loads(line) for line in outbox.read_text().splitlines()]
    mails = [mail for mail in written if mail["subject"] in SUBJECTS]
    assert {mail["subject"] for mail in mails} == SUBJECTS
    assert all(mail["to"].endswith("@home.example") for mail in mails)
    assert [mail["to"] for mail in mails if "Your PIN is" in mail["text"]] == [recipient_of("DEMO-0016").email]
