"""Editor of messages to recipients: draft, save, restore, refusals."""

from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text, send_form

DELIVERED = "/desk/settings/messages/delivered"
OWN = {
    "subject": "It’s here, {name}!",
    "text": "Dear {name},\n\nyour flowers arrived.\n\n{link}",
    "sms": "Arrived: {link}",
}


async def test_a_message_is_edited_from_its_preview(app: App) -> None:
    previews = await get_page(app, "/desk/settings/messages?language=fr", "admin")
    assert f'href="{DELIVERED}/edit?language=fr"' in previews.text
    page = await get_page(app, f"{DELIVERED}/edit?language=fr", "admin")
    assert "Bonjour {name}," in page.text
    assert "{outcome}" in page_text(page)
    assert Checked(page.text).faults == []


async def test_a_draft_is_shown_in_a_frame_without_being_saved(app: App) -> None:
    shown = await send_form(app, f"{DELIVERED}/draft", "admin", language="en", step="email", **OWN)
    assert "your flowers arrived." in page_text(shown)
    assert "sandbox" in shown.headers["content-security-policy"]
    sms = await send_form(app, f"{DELIVERED}/draft", "admin", language="en", step="sms", **OWN)
    assert page_text(sms).startswith("SMS Arrived: http")
    assert "flowers" not in (await get_page(app, f"{DELIVERED}/edit?language=en", "admin")).text


async def test_a_draft_with_an_unknown_placeholder_shows_the_fault(app: App) -> None:
    fields = {**OWN, "text": "Hello {nam},\n\n{link}"}
    shown = await send_form(app, f"{DELIVERED}/draft", "admin", language="en", step="email", **fields)
    assert shown.status_code == 422
    assert "Unknown placeholders: {nam}." in page_text(shown)


async def test_a_saved_message_is_marked_and_can_be_restored(app: App) -> None:
    saved = await send_form(app, f"{DELIVERED}/edit?language=en", "admin", language="en", step="save", **OWN)
    assert (saved.status_code, saved.headers["location"]) == (303, f"{DELIVERED}/edit?language=en&saved=1")
    page = await get_page(app, saved.headers["location"], "admin")
    assert "Message saved." in page_text(page)
    assert "Customized" in page_text(page)
    assert Checked(page.text).faults == []
    assert "your flowers arrived." in page_text(await get_page(app, f"{DELIVERED}?language=en", "admin"))
    await send_form(app, f"{DELIVERED}/edit?language=en", "admin", language="en", step="restore", **OWN)
    assert "Customized" not in page_text(await get_page(app, f"{DELIVERED}/edit?language=en", "admin"))


async def test_a_refused_message_keeps_what_was_typed_and_names_the_fault(app: App) -> None:
    fields = {**OWN, "text": "Dear {name}, your flowers arrived."}
    page = await send_form(app, f"{DELIVERED}/edit?language=en", "admin", language="en", step="save", **fields)
    assert page.status_code == 422
    assert "Include {link} in this text." in page_text(page)
    assert "your flowers arrived." in page.text
    assert Checked(page.text).faults == []


async def test_only_admins_edit_messages(app: App) -> None:
    assert (await get_page(app, f"{DELIVERED}/edit", "employee")).status_code == 404
    assert (await get_page(app, "/desk/settings/messages/unknown/edit", "admin")).status_code == 404
    refused = await send_form(app, f"{DELIVERED}/edit", "admin", csrf="x", language="en", step="save", **OWN)
    assert refused.status_code == 403
