"""Wordings of messages to recipients that a business changed."""

import asyncio
from typing import Any

from tests.contexts.identity.mailbox import received_mails
from tests.contexts.recipients.makers import MAILBOX, make_awaited_order, tell_recipients
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.recipients.messages.rules import (
    MessageWording,
    RecipientMessage,
    find_unknown_placeholders,
    list_placeholders,
)
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

OWN: dict[str, Any] = {
    "message": "accepted",
    "language": "en",
    "subject": "Flowers for {name}",
    "text": "Dear {name},\n\nflowers from {sender} are coming. {when}\n\n{link}",
    "sms": "Flowers from {sender}: {link}",
}


async def preview_of(app: App, message: str, language: str = "en") -> Any:
    found = await app.answer("admin", "preview_recipient_messages", {"language": language})
    return next(each for each in found.previews if each.message == message)


async def fault_of(app: App, **changes: Any) -> list[tuple[str, str]]:
    refused = await app.call("admin", "set_recipient_message_text", OWN | changes)
    assert refused.error is not None
    assert refused.error["code"] == "INVALID_REQUEST"
    return [(each["field"], each["message"]) for each in refused.error["errors"]]


async def test_recipients_get_the_wording_of_the_business(app: App) -> None:
    await tell_recipients(app)
    answer = await app.answer("admin", "set_recipient_message_text", OWN)
    assert answer.preview.customized == ["subject", "text", "sms"]
    assert answer.preview.subject == "Flowers for Ada Lovelace"
    order = await make_awaited_order(app)
    (mail,) = await received_mails(app, MAILBOX)
    assert mail.subject.startswith("Flowers for ")
    assert "flowers from" in mail.text
    assert f"http://test/track/{order.tracking_number}" in mail.text


async def test_other_languages_and_messages_keep_the_standard_wording(app: App) -> None:
    await app.answer("admin", "set_recipient_message_text", OWN)
    assert (await preview_of(app, "accepted", "de")).customized == []
    assert (await preview_of(app, "delivered")).customized == []
    assert (await preview_of(app, "accepted")).template.subject == OWN["subject"]


async def test_omitted_and_standard_texts_follow_the_standard_wording(app: App) -> None:
    standard = (await preview_of(app, "accepted")).template
    await app.answer("admin", "set_recipient_message_text", OWN)
    answer = await app.answer("admin", "set_recipient_message_text", {**OWN, "text": standard.text, "sms": None})
    assert answer.preview.customized == ["subject"]
    restored = await app.answer("admin", "set_recipient_message_text", {"message": "accepted", "language": "en"})
    assert restored.preview.customized == []
    assert restored.preview.template == standard


async def test_unknown_placeholders_and_single_braces_are_refused(app: App) -> None:
    allowed = "{name}, {client}, {sender}, {number}, {link}, {when}"
    assert await fault_of(app, text="Hello {nam}} {link}") == [
        ("text", f"Unknown placeholders: {{nam}}, }}. Allowed here: {allowed}.")
    ]
    assert await fault_of(app, subject="{pin}") == [
        ("subject", f"Unknown placeholders: {{pin}}. Allowed here: {allowed}.")
    ]
    assert await fault_of(app, sms="{name.upper} {link}") == [
        ("sms", f"Unknown placeholders: {{name.upper}}. Allowed here: {allowed}.")
    ]


async def test_the_link_and_the_pin_cannot_be_left_out(app: App) -> None:
    assert await fault_of(app, text="Hello") == [("text", "Include {link} in this text.")]
    assert await fault_of(app, message="out_for_delivery", sms="It left: {link}", text=None) == [
        ("sms", "Include {when} in this text.")
    ]
    assert await fault_of(app, message="new_pin", text="{link}", sms=None) == [("text", "Include {pin} in this text.")]


async def test_parallel_changes_leave_one_wording(app: App) -> None:
    changes = [OWN | {"subject": f"Flowers {number}"} for number in range(8)]
    await asyncio.gather(*(app.answer("admin", "set_recipient_message_text", each) for each in changes))
    assert (await preview_of(app, "accepted")).template.subject in {each["subject"] for each in changes}


async def test_wordings_of_another_business_are_not_used(app: App) -> None:
    await app.answer("rival", "set_recipient_message_text", OWN)
    assert (await preview_of(app, "accepted")).customized == []


@for_every("language", SUPPORTED_LANGUAGES)
async def test_the_standard_wording_may_be_saved_as_it_is(app: App, language: str) -> None:
    for message in MessageWording:
        template = (await preview_of(app, message.value, language)).template
        texts = {part: f"{getattr(template, part)} " for part in ("subject", "text", "sms")}
        asked = {"message": message.value, "language": language, **texts}
        await app.answer("admin", "set_recipient_message_text", asked)


def test_every_message_has_a_wording() -> None:
    assert {each.value for each in MessageWording} == {each.value for each in RecipientMessage} | {
        "missed_no_window",
        "collected",
    }


def test_placeholders_are_names_in_braces() -> None:
    assert list_placeholders("{a} {b}", "{a} {{c}") == ["a", "b", "c"]
    assert find_unknown_placeholders("{a} {b } { } {", ["a"]) == ["{b }", "{ }", "{"]
