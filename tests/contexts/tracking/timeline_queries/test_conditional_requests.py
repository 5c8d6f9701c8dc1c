"""Conditional timeline requests: ETag, Last-Modified and Cache-Control."""

from datetime import timedelta

import pytest
from tests.contexts.tracking.timelines.factories import (
    NUMBER,
    make_call,
    make_delivery,
    make_new_event,
    record_counting_statements,
)
from tests.support.app import START, App

from haulier.contexts.tracking.public import link_tracking_number

PATH = f"/v1/otep/trackings/{NUMBER}"
BOTH = pytest.mark.parametrize("path", [PATH, f"{PATH}/events"])


@pytest.fixture
async def told(app: App) -> App:
    await record_counting_statements(app, *make_delivery()[:2])
    return app


@BOTH
async def test_an_unchanged_timeline_returns_304(told: App, path: str) -> None:
    first = await told.rest(None, "GET", path)
    again = await told.rest(None, "GET", path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    assert first.headers["cache-control"] == "public, max-age=15"


@BOTH
async def test_a_new_event_changes_the_etag(told: App, path: str) -> None:
    first = await told.rest(None, "GET", path)
    told.clock.forward(minutes=1)
    await record_counting_statements(told, make_new_event("arriving_soon", occurred_at=told.clock()))
    again = await told.rest(None, "GET", path, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 200
    assert again.headers["etag"] != first.headers["etag"]


async def test_a_date_is_used_without_an_etag(told: App) -> None:
    first = await told.rest(None, "GET", PATH)
    assert first.headers["last-modified"] == "Wed, 10 Jun 2026 14:00:00 GMT"
    for since, status in (
        (first.headers["last-modified"], 304),
        ("Wed, 10 Jun 2026 13:59:59 GMT", 200),
        ("nonsense", 200),
    ):
        assert (await told.rest(None, "GET", PATH, headers={"If-Modified-Since": since})).status_code == status


async def test_the_etag_takes_precedence_over_the_date(told: App) -> None:
    later = (START + timedelta(days=1)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    asked = {"If-None-Match": '"another"', "If-Modified-Since": later}
    assert (await told.rest(None, "GET", PATH, headers=asked)).status_code == 200


@pytest.mark.parametrize(
    "other", [{"Accept-Language": "fr"}, {"Accept": "application/ld+json"}, {"Authorization": "of the office"}]
)
async def test_the_etag_differs_by_language_format_and_reader(told: App, other: dict[str, str]) -> None:
    if "Authorization" in other:
        other = {"Authorization": f"Bearer {told.tokens['admin']}"}
    first = await told.rest(None, "GET", PATH)
    asked = {**other, "If-None-Match": first.headers["etag"]}
    assert (await told.rest(None, "GET", PATH, headers=asked)).status_code == 200
    assert "Accept-Language" in first.headers["vary"]


async def test_office_responses_are_not_cached_by_proxies(told: App) -> None:
    assert (await told.rest("admin", "GET", PATH)).headers["cache-control"] == "private, no-cache"


async def test_linking_another_number_changes_the_etag(told: App) -> None:
    first = await told.rest("admin", "GET", PATH)
    async with make_call(told) as call:
        await link_tracking_number(call, NUMBER, external="1Z999")
    again = await told.rest("admin", "GET", PATH, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 200


async def test_an_unknown_number_has_no_etag(told: App) -> None:
    response = await told.rest(None, "GET", "/v1/otep/trackings/HL0", headers={"If-None-Match": "*"})
    assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND")


async def test_a_304_takes_two_statements(told: App) -> None:
    etag = (await told.rest(None, "GET", PATH)).headers["etag"]
    told.statements = 0
    await told.rest(None, "GET", PATH, headers={"If-None-Match": etag})
    assert told.statements == 2  # whose number it is, and whether anything changed


async def test_responses_with_several_timelines_have_no_etag(told: App) -> None:
    response = await told.rest(None, "POST", "/v1/otep/trackings/batch", {"tracking_numbers": [NUMBER]})
    assert (response.status_code, "etag" in response.headers) == (200, False)
