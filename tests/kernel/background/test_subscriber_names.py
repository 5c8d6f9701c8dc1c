"""Names of subscribers, which waiting jobs contain."""

import contextlib
import importlib
from pathlib import Path

import apsw
from tests.support.databases import migrated_file

from haulier.adapters.migrations import downgrade_schema, upgrade_schema
from haulier.app import background

NAMES = Path(__file__).with_name("subscriber_names.txt")
"""Every name in use. A renamed subscriber needs a migration like 0137, because events may wait under its former name."""
SHIPPING_ORDERS = "haulier.contexts.shipping.shipping_orders.jobs"
renamed = importlib.import_module("haulier.migrations.versions.0137_subscriber_names")


def test_subscriber_names_change_only_with_a_migration() -> None:
    assert sorted(background().subscribers) == NAMES.read_text().split()


def test_renamed_subscribers_exist() -> None:
    names = {f"haulier.contexts.{old.rpartition('.')[0]}.{new}" for old, new in renamed.RENAMED.items()}
    assert names <= background().subscribers.keys()


def test_an_event_pending_during_an_upgrade_keeps_its_subscriber(tmp_path: Path) -> None:
    url = migrated_file(tmp_path)
    downgrade_schema(url, "0136")
    with contextlib.closing(apsw.Connection(str(tmp_path / "haulier.db"))) as file:
        file.execute(
            "INSERT INTO job (share, kind, args, lane, state, run_at, attempts, max_attempts, created_at)"
            " VALUES (0, ?, '{}', 'a', 'waiting', 0, 0, 5, 0)",
            [f"news:{SHIPPING_ORDERS}.take_bought_label"],
        )
    upgrade_schema(url)
    with contextlib.closing(apsw.Connection(str(tmp_path / "haulier.db"))) as file:
        (kind,) = file.execute("SELECT kind FROM job WHERE lane = 'a'").fetchone()
    assert kind == f"news:{SHIPPING_ORDERS}.on_label_purchased"
