"""Exchange rates are imported, overridden and used for conversions."""

import asyncio
from base64 import b64encode
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from tests.contexts.billing.exchange_rates.ecb_server import DAILY_CSV, DAILY_XML, run_ecb_server, zipped
from tests.contexts.billing.exchange_rates.examples import EXCHANGE_RATE
from tests.contexts.billing.ledger.makers import make_call
from tests.support.app import App

from haulier.adapters.exchange_rates import HttpExchangeRateFeed
from haulier.contexts.billing import public as billing
from haulier.contexts.billing.exchange_rates.jobs import import_daily_rates
from haulier.contexts.billing.ports import ExchangeRateFeed, ExchangeRatesUnavailable
from haulier.kernel.values.money import Money

DAY = "2026-11-27"


@pytest.fixture
def server() -> Iterator[str]:
    with run_ecb_server() as url:
        yield url


async def imported(app: App, content: str = DAILY_CSV) -> tuple[int, int, int, int]:
    """Import a file. Return the added, updated, unchanged and refused rates."""
    found = await app.answer("admin", "import_exchange_rates", {"content": content})
    return found.added, found.updated, found.unchanged, found.refused


async def converted(app: App, minor: int = 10_000, **values: Any) -> Any:
    """Convert an amount, by default from euros to Canadian dollars."""
    asked = {"amount_minor": minor, "from_currency": "EUR", "to_currency": "CAD", "day": DAY} | values
    return await app.answer("admin", "convert_amount", asked)


def use_feed(app: App, feed: HttpExchangeRateFeed) -> None:
    """Replace the source of the daily file."""
    adapters: Any = app.application.adapters
    adapters[ExchangeRateFeed] = feed


async def test_reimporting_a_file_changes_nothing_and_a_correction_updates_rates(app: App) -> None:
    assert await imported(app) == (3, 0, 0, 0)
    assert await imported(app, DAILY_XML) == (0, 0, 3, 0)
    assert await imported(app, b64encode(zipped(DAILY_CSV.replace("1.5203", "1.53"))).decode()) == (0, 1, 2, 0)
    listed = await app.answer("admin", "list_exchange_rates", {"quote_currency": "CAD"})
    assert [(rate.rate, rate.source, str(rate.valid_on)) for rate in listed.exchange_rates] == [("1.53", "ecb", DAY)]


async def test_concurrent_imports_store_each_rate_once(app: App) -> None:
    results = await asyncio.gather(imported(app), imported(app))
    assert sorted(added for added, *_ in results) == [0, 3]


async def test_invalid_values_are_reported_and_the_rest_are_imported(app: App) -> None:
    content = "Date, USD, CAD,\n27 November 2026, 1.0856, soon,\n"
    found = await app.answer("admin", "import_exchange_rates", {"content": content})
    assert (found.added, found.refused) == (1, 1)
    assert [(each.number, each.field, each.code) for each in found.errors] == [(2, "CAD", "EXCHANGE_RATE_VALUE")]
    assert "soon" in found.errors[0].message


async def test_a_file_is_uploaded_as_a_form_part(app: App) -> None:
    token = {"Authorization": f"Bearer {app.tokens['admin']}"}
    sent = await app.http.post(
        "/api/v1/billing/exchange-rates/imports", headers=token, files={"file": ("eurofxref.zip", zipped(DAILY_CSV))}
    )
    assert (sent.status_code, sent.json()["added"]) == (200, 3)


async def test_an_unknown_file_is_refused(app: App) -> None:
    result = await app.call("admin", "import_exchange_rates", {"content": "name,city\nAda,Toronto\n"})
    assert result.error
    assert [(each["field"], each["code"]) for each in result.error["errors"]] == [("content", "EXCHANGE_RATE_FILE")]


async def test_a_business_rate_overrides_the_imported_one_until_deleted(app: App) -> None:
    await imported(app)
    own = {**EXCHANGE_RATE, "rate": "1.6000", "valid_on": DAY}
    await app.answer("admin", "set_exchange_rate", own)
    rate = (await app.answer("admin", "set_exchange_rate", own)).exchange_rate
    assert (rate.rate, rate.source) == ("1.6", "manual")
    found = await converted(app)
    assert (found.amount_minor, found.formatted, found.rate, found.source) == (16_000, "160.00 CAD", "1.6", "manual")
    await app.answer("admin", "delete_exchange_rate", {"exchange_rate_id": rate.id})
    assert (await converted(app)).amount_minor == 15_203


async def test_an_imported_rate_cannot_be_deleted(app: App) -> None:
    await imported(app)
    (listed,) = (await app.answer("admin", "list_exchange_rates", {"quote_currency": "USD"})).exchange_rates
    result = await app.call("admin", "delete_exchange_rate", {"exchange_rate_id": listed.id})
    assert result.error
    assert result.error["code"] == "EXCHANGE_RATE_IMPORTED"


async def test_an_amount_is_converted_across_the_base(app: App) -> None:
    await imported(app)
    found = await converted(app, from_currency="USD")
    assert (found.amount_minor, found.rate, str(found.valid_on)) == (14_004, "1.40042372881", DAY)


async def test_a_conversion_without_a_recent_rate_is_refused(app: App) -> None:
    await imported(app)
    late = str(date.fromisoformat(DAY) + timedelta(days=8))
    asked = {"amount_minor": 1, "from_currency": "EUR", "to_currency": "CAD", "day": late}
    result = await app.call("admin", "convert_amount", asked)
    assert result.error
    assert (result.status, result.error["code"]) == (409, "EXCHANGE_RATE_MISSING")
    await app.answer("admin", "set_exchange_rate_settings", {"max_age_days": 8})
    assert (await converted(app, 100, day=late)).amount_minor == 152


async def test_rates_are_visible_only_to_their_business(app: App) -> None:
    await imported(app)
    assert (await app.answer("rival", "list_exchange_rates", {})).exchange_rates == []


async def test_other_contexts_convert_with_the_recorded_rate(app: App) -> None:
    await imported(app)
    async with make_call(app) as call:
        found = await billing.convert(call, Money(10_000, "USD"), "CAD", date.fromisoformat(DAY))
        missing = await billing.convert(call, Money(10_000, "USD"), "CHF", date.fromisoformat(DAY))
        same = await billing.convert(call, Money(10_000, "CHF"), "CHF", date.fromisoformat(DAY))
    assert found
    assert (found.money, found.rate, str(found.valid_on)) == (Money(14_004, "CAD"), "1.40042372881", DAY)
    assert missing is None
    assert same
    assert (same.money, same.rate, same.source) == (Money(10_000, "CHF"), "1", None)


async def test_the_daily_file_is_imported_for_businesses_that_enable_it(app: App, server: str) -> None:
    await app.answer("admin", "set_exchange_rate_settings", {"daily_import": True})
    for path in ("eurofxref-daily.xml", "eurofxref.zip"):
        feed = HttpExchangeRateFeed(f"{server}/stats/eurofxref/{path}")
        use_feed(app, feed)
        await import_daily_rates.handler(app.application)
    assert len((await app.answer("admin", "list_exchange_rates", {})).exchange_rates) == 3
    assert (await app.answer("rival", "list_exchange_rates", {})).exchange_rates == []


async def test_a_file_that_cannot_be_fetched_or_parsed_changes_nothing(app: App, server: str) -> None:
    await app.answer("admin", "set_exchange_rate_settings", {"daily_import": True})
    for url in (None, f"{server}/broken.xml", f"{server}/gone", "http://127.0.0.1:1/"):
        use_feed(app, HttpExchangeRateFeed(url))
        await import_daily_rates.handler(app.application)
    assert (await app.answer("admin", "list_exchange_rates", {})).exchange_rates == []
    with pytest.raises(ExchangeRatesUnavailable, match="503"):
        await HttpExchangeRateFeed(f"{server}/gone").fetch()
