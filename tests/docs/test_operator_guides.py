"""The operator guides to apps, SMS, carriers and several machines work."""

from pathlib import Path

import pytest
from tests.docs.guides import an_address, check


@pytest.mark.parametrize(
    "guide", ["integrate/apps", "operate/send-sms", "operate/scale", "operate/settings", "ship/carriers"]
)
def test_a_guide_runs_as_written(guide: str, tmp_path: Path) -> None:
    check(f"docs/{guide}.md", tmp_path, an_address(), {"HAULIER_DATABASE": f"sqlite:///{tmp_path}/haulier.db"})
