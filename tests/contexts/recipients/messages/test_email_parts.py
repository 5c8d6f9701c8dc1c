"""Emails to recipients have both parts, in every language, in the brand."""

import re

from tests.contexts.identity.mailbox import received_mails
from tests.contexts.recipients.makers import MAILBOX, make_awaited_order, make_delivered_order, tell_recipients
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.recipients.messages.rules import MessageWording
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

BRAND = {"colour": "#1f4e9c", "contact_phone": "+1 416 555 0100", "contact_email": "help@demo.example"}


@for_every("language", SUPPORTED_LANGUAGES)
async def test_each_message_has_both_parts_with_one_absolute_link_and_no_pictures(app: App, language: str) -> None:
    found = await app.answer("admin", "preview_recipient_messages", {"language": language})
    assert [each.message for each in found.previews] == [each.value for each in MessageWording]
    for each in found.previews:
        links = re.findall(r'href="([^"]+)"', each.html)
        assert f'<html lang="{language}">' in each.html
        assert links
        assert all(link.startswith(("http://", "https://", "mailto:", "tel:")) for link in links), each.message
        assert [link for link in links if "/track/" in link] == re.findall(r"http\S+/track/\S+", each.text)
        assert not re.search(r"<img|url\(|recipient\.", each.html), each.message
        assert "recipient." not in each.text
        assert "{" not in each.text


async def test_an_email_arrives_in_the_brand_of_the_business(app: App) -> None:
    await app.answer("admin", "set_brand", BRAND)
    await tell_recipients(app)
    order = await make_awaited_order(app)
    (mail,) = await received_mails(app, MAILBOX)
    assert "#1f4e9c" in mail.html
    assert "Track parcel</a>" in mail.html
    assert 'href="tel:+14165550100"' in mail.html
    assert 'href="mailto:help@demo.example"' in mail.html
    assert f"Tracking number: {order.tracking_number}" in mail.text
    assert f'href="http://test/track/{order.tracking_number}"' in mail.html


async def test_the_button_names_what_the_link_is_for(app: App) -> None:
    await tell_recipients(app)
    await make_delivered_order(app)
    mails = {mail.subject: mail.html for mail in await received_mails(app, MAILBOX)}
    assert "View proof of delivery</a>" in mails["Your parcel was delivered"]


async def test_other_emails_are_branded_too(app: App) -> None:
    await app.answer("admin", "set_brand", BRAND)
    await app.answer(
        "admin",
        "invite_user",
        {"name": "Mia", "email": "mia@demo.example", "account": "employee", "role": "dispatcher"},
    )
    (mail,) = await received_mails(app, "mia@demo.example")
    assert "Set password</a>" in mail.html
    assert "#1f4e9c" in mail.html
