"""Selection of the lanes that a process serves."""

import pytest

from haulier.app import build_application
from haulier.background import QUEUES, parse_queues
from haulier.settings import InvalidSetting, Settings


def test_all_lanes_are_served_unless_some_are_named() -> None:
    app = build_application(Settings())
    assert parse_queues(app, None) == QUEUES
    assert {job_type.queue for job_type in app.background.job_types.values()} <= QUEUES.keys()
    assert parse_queues(app, "builds=7,default") == {"builds": 7, "default": QUEUES["default"]}
    for wrong in ("parcels", "builds=1,builds=2"):
        with pytest.raises(InvalidSetting, match="repeated or unknown"):
            parse_queues(app, wrong)
