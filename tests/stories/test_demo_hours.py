"""The demo starts at any hour, although its routes may cross midnight."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.support.databases import migrated_file

from haulier.demo import ensure_demo
from haulier.settings import Settings

HOURS = ("00:05", "02:30", "03:10", "07:55", "20:30", "23:55")
"""In the demo's city: a day that has just begun, drives that began before it, and one that is about to end."""


@pytest.mark.parametrize("hour", HOURS)
async def test_the_demo_can_be_created_at_any_hour(tmp_path: Path, hour: str) -> None:
    city = ZoneInfo("Europe/Helsinki")
    now = datetime.now(UTC)
    tomorrow = (now.astimezone(city) + timedelta(days=1)).date()
    offset = datetime.combine(tomorrow, time.fromisoformat(hour), city) - now
    await ensure_demo(
        Settings(database=migrated_file(tmp_path), demo=True, clock_offset_s=round(offset.total_seconds()))
    )
