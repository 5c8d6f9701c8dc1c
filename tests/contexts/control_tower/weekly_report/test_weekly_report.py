"""Weekly report emails on Mondays with the metrics of the previous week."""

from datetime import date, datetime

import pytest
from tests.contexts.control_tower.overview.makers import fail, give_to_driver, make_delivered_order
from tests.contexts.identity.mailbox import received_mails
from tests.support.app import App
from tests.support.transport import make_order

from haulier.contexts.control_tower.weekly_report.jobs import send_weekly_reports
from haulier.contexts.control_tower.weekly_report.rules import due_week, week_of

ADMIN = "admin@demo.example"


async def make_week(app: App) -> None:
    """Create two delivered orders and one failed attempt of the driver."""
    for _ in range(2):
        order_id = await make_delivered_order(app)
        await give_to_driver(app, order_id, "driver")
    await fail(app, await make_order(app), "nobody_home")


async def letters(app: App, to: str = ADMIN) -> list[str]:
    await send_weekly_reports.handler(app.application)
    return [mail.text for mail in await received_mails(app, to) if "/desk/insights" in mail.text]


async def to_monday(app: App) -> None:
    monday = datetime(2026, 6, 15, 12, tzinfo=app.clock.now.tzinfo)
    app.clock.forward(seconds=(monday - app.clock.now).total_seconds())


async def test_a_subscriber_gets_one_email_each_monday_and_others_get_none(app: App) -> None:
    await make_week(app)
    await app.answer("admin", "set_weekly_report", {"enabled": True})
    await app.answer("admin", "set_weekly_report", {"enabled": True})
    assert await letters(app) == []
    await to_monday(app)
    (letter,) = await letters(app)
    assert "Orders: 3 (previous week: 0)" in letter
    assert "Delivered: 2 (previous week: 0)" in letter
    assert "nobody home: 1" in letter
    assert "Driver: 2 orders, 2 delivered" in letter
    assert "date_from=2026-06-08&date_to=2026-06-14" in letter
    assert len(await letters(app)) == 1
    assert (await app.answer("admin", "get_weekly_report")).last_week == date(2026, 6, 8)
    app.clock.forward(days=9)
    assert len(await letters(app)) == 2
    assert {mail.to for mail in await received_mails(app)} == {ADMIN}


async def test_a_contractors_report_covers_only_their_own_orders(app: App) -> None:
    await make_week(app)
    await app.answer("contractor", "set_weekly_report", {"enabled": True})
    await to_monday(app)
    (letter,) = await letters(app, "contractor@demo.example")
    assert "No orders this week" in letter
    assert "Driver" not in letter


async def test_the_report_ends_with_the_subscription_or_the_account(app: App) -> None:
    for who in ("admin", "employee"):
        await app.answer(who, "set_weekly_report", {"enabled": True})
    await app.answer("employee", "set_weekly_report", {"enabled": False})
    await app.answer("employee", "set_weekly_report", {"enabled": True})
    await app.answer("admin", "set_weekly_report", {"enabled": False})
    await app.answer("admin", "disable_user", {"user_id": app.ids["employee"]})
    await to_monday(app)
    assert await letters(app) == []
    assert await letters(app, "employee@demo.example") == []
    assert not (await app.answer("admin", "get_weekly_report")).enabled


async def test_the_report_ends_with_its_token_unless_the_user_subscribes_too(app: App) -> None:
    for signed_in_too in (False, True):
        token = await app.answer("admin", "issue_api_token", {"name": "figures", "scopes": ["analytics:read"]})
        app.tokens["figures"] = token.access_token
        await app.answer("figures", "set_weekly_report", {"enabled": True})
        if signed_in_too:
            await app.answer(await app.sign_in("admin"), "set_weekly_report", {"enabled": True})
        await app.answer("admin", "revoke_api_token", {"token_id": token.id})
        await to_monday(app) if not signed_in_too else app.clock.forward(days=14)
        assert len(await letters(app)) == signed_in_too
        assert (await app.answer("admin", "get_weekly_report")).enabled is signed_in_too


async def test_the_report_uses_the_readers_language_and_can_be_previewed(app: App) -> None:
    await make_week(app)
    asked = {"week": "2026-06-10"}
    preview = await app.answer("admin", "preview_weekly_report", asked, accept_language="de")
    assert preview.week == date(2026, 6, 8)
    assert preview.subject == "Demo: Woche vom 8. Juni 2026 bis 14. Juni 2026"
    assert "Zugestellt: 2 (Vorwoche: 0)" in preview.text
    assert "No orders" in (await app.answer("rival", "preview_weekly_report", asked)).text


@pytest.mark.parametrize(
    ("moment", "week"),
    [
        ("2026-06-15T06:59", "2026-06-01"),
        ("2026-06-15T07:00", "2026-06-08"),
        ("2026-06-21T23:59", "2026-06-08"),
        ("2026-06-22T00:00", "2026-06-08"),
        ("2026-06-22T07:00", "2026-06-15"),
    ],
)
def test_a_weekly_report_is_due_from_seven_on_the_following_monday(moment: str, week: str) -> None:
    assert due_week(datetime.fromisoformat(moment)) == date.fromisoformat(week)
    assert week_of(date.fromisoformat(week)) == date.fromisoformat(week)
