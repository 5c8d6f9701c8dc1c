"""Selection of the lanes that a process serves."""

import pytest

from haulier.app import build_application
from haulier.background import LANES, parse_lanes
from haulier.settings import InvalidSetting, Settings


def test_all_lanes_are_served_unless_some_are_named() -> None:
    app = build_application(Settings())
    assert parse_lanes(app, None) == LANES
    assert {job_type.lane for job_type in app.background.job_types.values()} <= LANES.keys()
    assert parse_lanes(app, "builds=7,default") == {"builds": 7, "default": LANES["default"]}
    for wrong in ("parcels", "builds=1,builds=2"):
        with pytest.raises(InvalidSetting, match="repeated or unknown"):
            parse_lanes(app, wrong)
