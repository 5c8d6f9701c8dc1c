"""Messages to recipients: previews, and the editor of a wording."""

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.recipients.messages.operations import (
    get_recipient_messages,
    preview_recipient_messages,
    set_recipient_message_text,
    set_recipient_messages,
)
from haulier.contexts.recipients.messages.rules import SMS_MAX, SUBJECT_MAX, TEXT_MAX
from haulier.kernel.application import Application
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.endpoints import make_endpoint
from haulier.web.desk.pages import DeskRequest, field_faults, not_found, plain_answer
from haulier.web.desk.places import act_address
from haulier.web.desk.uploads import read_act_form
from haulier.web.i18n import NATIVE_LANGUAGE_NAMES
from haulier.web.rendering import PAGE_SECURITY_HEADERS

SETTINGS = "/desk/settings"
MESSAGES = f"{SETTINGS}/messages"
TEXTS = {"subject": SUBJECT_MAX, "text": TEXT_MAX, "sms": SMS_MAX}
"""Texts of a message, with their greatest lengths."""
FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox allow-popups"
"""Policy of a message in a frame: inline styles, no scripts, no pictures."""
SMS_FRAME = (
    '<!doctype html><meta name="color-scheme" content="light dark"><title>SMS</title>'
    '<body style="font:15px/1.5 system-ui,sans-serif;margin:12px;overflow-wrap:anywhere">{}'
)


def module_routes(app: Application) -> list[BaseRoute]:
    """Return the routes of the pages of messages."""
    shown_by = partial(make_endpoint, app)
    return [
        Route(MESSAGES, shown_by(message_previews_page), methods=["GET"]),
        Route(f"{MESSAGES}/{{message}}", shown_by(message_frame), methods=["GET"]),
        Route(f"{MESSAGES}/{{message}}/draft", shown_by(draft_frame), methods=["POST"]),
        Route(f"{MESSAGES}/{{message}}/edit", shown_by(editor_page), methods=["GET"]),
        Route(f"{MESSAGES}/{{message}}/edit", shown_by(save_message), methods=["POST"]),
    ]


async def message_previews_page(desk: DeskRequest) -> Response:
    """Show every message to recipients in the language of the address."""
    language = _language(desk)
    if not desk.may(preview_recipient_messages) or language is None:
        return not_found(desk)
    asked = {"language": language} if language else {}
    found = await desk.read(preview_recipient_messages, asked) or {}
    return desk.page(
        "desk_message_previews.html",
        chosen=found.get("language") or language,
        preview_languages=NATIVE_LANGUAGE_NAMES,
        previews=found.get("previews") or [],
        sent=(await desk.read_if_allowed(get_recipient_messages)).get("messages") or {},
        edit=act_address(set_recipient_messages, back=SETTINGS) if desk.may(set_recipient_messages) else None,
        may_edit=desk.may(set_recipient_message_text),
        call=preview_recipient_messages,
        values=asked,
    )


async def message_frame(desk: DeskRequest) -> Response:
    """Show the HTML part of one message, or its SMS, in a frame."""
    _, preview = await _saved(desk)
    return _in_frame(_shown(preview, desk.texts.get("part", [""])[-1])) if preview else not_found(desk)


async def draft_frame(desk: DeskRequest) -> Response:
    """Show an unsaved wording or its errors in a frame of the editor."""
    form = await _read_form(desk)
    if form is None or not desk.may(set_recipient_message_text):
        return not_found(desk)
    result = await _set(desk, form, dry_run=True)
    if result.error is not None:
        faults = field_faults(result) or {"": result.error["message"]}
        return _in_frame(SMS_FRAME.format("<br>".join(escape(fault) for fault in faults.values())), 422)
    return _in_frame(_shown(plain_answer(result)["preview"], form.get("step", "")))


async def editor_page(desk: DeskRequest) -> Response:
    """Show the editor with the wording in force."""
    language, preview = await _saved(desk)
    if preview is None or not desk.may(set_recipient_message_text):
        return not_found(desk)
    return _editor(desk, language, preview, preview["template"])


async def save_message(desk: DeskRequest) -> Response:
    """Save a wording, or restore the standard one."""
    form, (language, preview) = await _read_form(desk), await _saved(desk)
    if preview is None or not desk.may(set_recipient_message_text):
        return not_found(desk)
    if form is None:
        return _editor(desk, language, preview, preview["template"], problem=desk.say("sign_in.again"), status_code=403)
    standard = form.get("step") == "restore"
    result = await _set(desk, {name: form[name] for name in form if not standard or name == "language"})
    if result.error is not None:
        return _editor(desk, language, preview, form, result=result, status_code=result.status)
    return RedirectResponse(f"{desk.request.url.path}?{urlencode({'language': language, 'saved': 1})}", 303)


def _language(desk: DeskRequest) -> str | None:
    """Return the language in the address, or None if it is not supported.

    An empty text stands for the business's language.
    """
    language = desk.texts.get("language", [""])[-1]
    return language if not language or language in NATIVE_LANGUAGE_NAMES else None


async def _saved(desk: DeskRequest) -> tuple[str, dict[str, Any] | None]:
    """Return the language and the message of the address; None for an unknown one."""
    language = _language(desk)
    if language is None:
        return "", None
    found = await desk.read_if_allowed(preview_recipient_messages, **({"language": language} if language else {}))
    message = desk.request.path_params["message"]
    preview = next((each for each in found.get("previews") or [] if each["message"] == message), None)
    return found.get("language") or language, preview


async def _read_form(desk: DeskRequest) -> dict[str, str] | None:
    """Return the texts of the form, or None for a form of another session."""
    form = await read_act_form(desk.request, set_recipient_message_text)
    own = {name: texts[-1] for name, texts in form.items()}
    return own if desk.session.is_genuine_form(desk.request, own) else None


async def _set(desk: DeskRequest, form: Mapping[str, str], *, dry_run: bool = False) -> OperationResult:
    """Call the operation with the texts of the form; empty ones are omitted."""
    language, message = form.get("language", ""), desk.request.path_params["message"]
    texts = {name: form[name].replace("\r\n", "\n") for name in TEXTS if form.get(name, "").strip()}
    values = {"message": message, "language": language, **texts}
    return await desk.call(set_recipient_message_text, values, dry_run=dry_run)


def _editor(
    desk: DeskRequest,
    language: str,
    preview: Mapping[str, Any],
    texts: Mapping[str, str],
    *,
    result: OperationResult | None = None,
    problem: str = "",
    status_code: int = 200,
) -> Response:
    refused = result.error if result else None
    return desk.page(
        "desk_message_text.html",
        status_code=status_code,
        message=preview["message"],
        preview=preview,
        texts={name: texts.get(name, "") for name in TEXTS},
        lengths=TEXTS,
        chosen=language,
        preview_languages=NATIVE_LANGUAGE_NAMES,
        faults=field_faults(result) if result else {},
        problem=problem or (refused["message"] if refused else ""),
        saved=bool(desk.texts.get("saved")) and refused is None,
        values={},
    )


def _shown(preview: Mapping[str, Any], part: str) -> str:
    return SMS_FRAME.format(escape(preview["sms"])) if part == "sms" else preview["html"]


def _in_frame(html: str, status_code: int = 200) -> HTMLResponse:
    policy = {"Content-Security-Policy": FRAME_POLICY}
    return HTMLResponse(html, status_code, headers={**PAGE_SECURITY_HEADERS, **policy})
