"""Permitted hours of messages in the recipient's local time."""

import json
from datetime import UTC, datetime, time
from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest
from phonenumbers import __version__

from haulier.contexts.messaging.campaigns.rules.sms_regulations import (
    QuietHours,
    may_send_now,
    place_key,
    zones_of_number,
)

MORNING_IN_NEW_YORK = datetime(2026, 6, 10, 13, 30, tzinfo=UTC)
"""09:30 on a Wednesday; 06:30 in Los Angeles, 03:30 in Honolulu."""


@pytest.mark.parametrize(
    ("phone", "zones"),
    [
        ("+12125550123", ("America/New_York",)),
        ("+14155550123", ("America/Los_Angeles",)),
        ("+14165550123", ("America/Toronto",)),
        ("+17095550123", ("America/Halifax", "America/St_Johns")),
        ("+74232201234", ("Asia/Vladivostok",)),
        ("+551123456789", ("America/Sao_Paulo",)),
        ("+559221234567", ("America/Manaus",)),
        ("+61892345678", ("Australia/Adelaide", "Australia/Perth")),
    ],
)
def test_the_area_code_determines_the_time_zone(phone: str, zones: tuple[str, ...]) -> None:
    assert zones_of_number(phone) == zones


@pytest.mark.parametrize("phone", ["+61412345678", "+18002345678", "+493012345678", "+79161234567"])
def test_a_number_without_an_area_code_determines_only_its_country(phone: str) -> None:
    assert zones_of_number(phone) == ()


def test_a_message_waits_for_the_local_time_of_the_number() -> None:
    for phone, may in (("+12125550123", True), ("+14155550123", False), ("+18085550123", False)):
        assert may_send_now(place_key("US", None, phone), MORNING_IN_NEW_YORK, None) is may


def test_the_contacts_time_zone_takes_precedence_over_the_number() -> None:
    moved = place_key("US", "America/New_York", "+14155550123")
    assert may_send_now(moved, MORNING_IN_NEW_YORK, None)


def test_with_several_possible_zones_the_hour_must_be_permitted_in_each() -> None:
    newfoundland = place_key("CA", None, "+17095550123")
    quiet = QuietHours(time(19), time(9))
    for hour, minute, may in ((11, 45, False), (12, 15, True), (21, 15, True), (21, 45, False)):
        now = datetime(2026, 6, 10, hour, minute, tzinfo=UTC)
        local = {now.astimezone(ZoneInfo(name)).time() for name in zones_of_number("+17095550123")}
        assert may_send_now(newfoundland, now, quiet) is may, local


def test_the_area_table_matches_the_installed_version_and_names_existing_zones() -> None:
    text = files("haulier.contexts.messaging.campaigns.rules").joinpath("number_zones.json").read_text("utf-8")
    told = json.loads(text)
    assert f"phonenumbers {__version__} " in told["source"], "python scripts/number_zones.py writes it anew"
    for names in told["zones"]:
        assert [ZoneInfo(name).key for name in names.split(",")]
