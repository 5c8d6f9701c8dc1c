"""Return emails: what to bring where, with the code shown on the page."""

import re

from sqlalchemy import update
from tests.contexts.customer_apps.customer_app import Phones
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.lockers.makers import make_cabinet
from tests.contexts.lockers.return_makers import Keeper, allow_returns, make_keeper
from tests.contexts.recipients.makers import use_phones
from tests.support.app import App

from haulier.contexts.identity.ports import MailMessage
from haulier.contexts.lockers.sites.store import parcels
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

CODE = re.compile(r"\b\d{8}\b")


async def emails_to(app: App, keeper: Keeper) -> list[MailMessage]:
    """Return the emails about returns to a recipient, oldest first."""
    return [mail for mail in await received_mails(app) if keeper.order.tracking_number in mail.text and mail.subject]


async def test_the_email_lists_item_and_location_and_includes_the_code_as_text_and_picture(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    made = await keeper.begins(cabinet.site_id)
    (letter,) = await emails_to(app, keeper)
    assert letter.subject == "Drop off your return at Union Station, hall B"
    assert CODE.findall(letter.text) == [made.code]
    said = ("65 Front St W", "Bring it, packed and closed", made.begun.tracking_number)
    assert [words for words in said if words not in letter.text] == []
    assert [each.media_type for each in letter.attachments] == ["image/png"]
    assert (await cabinet.says("present_locker_code", code=made.code)).accepted


async def test_the_sms_includes_the_code_and_mentions_no_picture(app: App) -> None:
    phones = use_phones(app, Phones())
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    made = await keeper.begins(cabinet.site_id)
    (letter,) = await emails_to(app, keeper)
    (text,) = [said for _, said in phones.sent if made.code in said]
    assert letter.text.startswith(text)
    assert "picture" in letter.text.removeprefix(text)


async def test_the_email_contains_the_newest_code(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    await keeper.begins(cabinet.site_id)
    newest = (await keeper.does("renew_return_code")).code
    (letter,) = await emails_to(app, keeper)
    assert CODE.findall(letter.text) == [newest]
    assert (await cabinet.says("present_locker_code", code=newest)).accepted


async def test_the_email_links_to_the_page_when_this_server_cannot_show_the_code(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    await keeper.begins(cabinet.site_id)
    async with app.database.write(app.clients["demo"]) as work:
        await work.run(update(parcels).values(code_nonce=b"of another server"))
    (letter,) = await emails_to(app, keeper)
    assert (CODE.findall(letter.text), letter.attachments) == ([], ())
    assert f"http://test/track/{keeper.order.tracking_number}" in letter.text


async def test_the_email_for_a_driver_pickup_asks_to_have_the_parcel_ready(app: App) -> None:
    await allow_returns(app)
    keeper = await make_keeper(app)
    made = await keeper.begins()
    (letter,) = await emails_to(app, keeper)
    assert letter.subject == f"Pickup of your return {made.begun.tracking_number} is scheduled"
    assert "Have it ready, packed and closed" in letter.text


async def test_an_immediately_cancelled_return_sends_no_message(app: App) -> None:
    await allow_returns(app)
    cabinet, keeper = await make_cabinet(app), await make_keeper(app)
    await keeper.begins(cabinet.site_id)
    await keeper.does("cancel_return")
    assert await emails_to(app, keeper) == []


async def test_the_email_is_in_the_senders_language(app: App) -> None:
    await allow_returns(app)
    cabinet = await make_cabinet(app, [{"size": "s", "count": 12}])
    subjects = set[str]()
    for language in SUPPORTED_LANGUAGES:
        for site in (cabinet.site_id, None):
            keeper = await make_keeper(app, language=language)
            made = await keeper.begins(site)
            (letter,) = await emails_to(app, keeper)
            subjects.add(letter.subject.replace(made.begun.tracking_number, ""))
            assert "{" not in letter.subject + letter.text
    assert len(subjects) == 2 * len(SUPPORTED_LANGUAGES)
