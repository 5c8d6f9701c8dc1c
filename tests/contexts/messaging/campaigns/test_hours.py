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
def test_the_area_of_a_number_says_where_it_is(phone: str, zones: tuple[str, ...]) -> None:
    assert zones_of_number(phone) == zones


@pytest.mark.parametrize("phone", ["+61412345678", "+18002345678", "+493012345678", "+79161234567"])
def test_a_number_without_an_area_says_no_more_than_its_country(phone: str) -> None:
    assert zones_of_number(phone) == ()


def test_a_text_waits_for_the_hour_where_the_number_is() -> None:
    for phone, may in (("+12125550123", True), ("+14155550123", False), ("+18085550123", False)):
        assert may_send_now(place_key("US", None, phone), MORNING_IN_NEW_YORK, None) is may


def test_the_time_zone_of_a_contact_comes_before_that_of_the_number() -> None:
    moved = place_key("US", "America/New_York", "+14155550123")
    assert may_send_now(moved, MORNING_IN_NEW_YORK, None)


def test_where_several_zones_remain_it_must_be_the_hour_in_each() -> None:
    newfoundland = place_key("CA", None, "+17095550123")
    quiet = QuietHours(time(19), time(9))
    for hour, minute, may in ((11, 45, False), (12, 15, True), (21, 15, True), (21, 45, False)):
        now = datetime(2026, 6, 10, hour, minute, tzinfo=UTC)
        local = {now.astimezone(ZoneInfo(name)).time() for name in zones_of_number("+17095550123")}
        assert may_send_now(newfoundland, now, quiet) is may, local


def test_the_table_is_of_the_version_that_is_installed_and_names_zones_that_there_are() -> None:
    text = files("haulier.contexts.messaging.campaigns.rules").joinpath("number_zones.json").read_text("utf-8")
    told = json.loads(text)
    assert f"phonenumbers {__version__} " in told["source"], "python scripts/number_zones.py writes it anew"
    for names in told["zones"]:
        assert [ZoneInfo(name).key for name in names.split(",")]
