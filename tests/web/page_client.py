"""Client for pages: fetches with a session cookie, reads text and submits forms."""

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import httpx
from tests.support.app import App

from haulier.web.session import PLAIN_SESSION_COOKIE, csrf_token_of

VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Checked(HTMLParser):
    """Parser that reports invalid pages: unclosed tags and duplicate ids."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self._open: list[str] = []
        self._ids: set[str] = set()
        self.feed(page)
        self.faults += [f"<{tag}> stays open" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        id = dict(attrs).get("id")
        if id and id in self._ids:
            self.faults.append(f"id {id} twice")
        self._ids |= {id} if id else set()
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")


async def get_page(app: App, path: str, who: str | None = None, **words: Any) -> httpx.Response:
    """Get a page, signed in as a user or anonymous."""
    app.http.cookies.clear()
    headers = {**({"cookie": session_cookie(app, who)} if who else {}), **words.pop("headers", {})}
    return await app.http.get(path, headers=headers, **words)


async def send_form(app: App, path: str, who: str | None = None, **fields: str | list[str]) -> httpx.Response:
    """A form, with the mark of the session unless `csrf` says otherwise."""
    app.http.cookies.clear()
    given = {**({"csrf": csrf_token_of(app.tokens[who])} if who else {}), **fields}
    headers = {"cookie": session_cookie(app, who)} if who else {}
    return await app.http.post(path, data=given, headers=headers)


def session_cookie(app: App, who: str) -> str:
    """Return a session cookie of a user."""
    return f"{PLAIN_SESSION_COOKIE}={app.tokens[who]}"


def page_text(response: httpx.Response) -> str:
    """Return the text of a page without tags."""
    body = re.sub(r"<(script|style|head)\b.*?</\1>", " ", response.text, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def button_ids(response: httpx.Response) -> list[str]:
    """The ids of the buttons of a decision."""
    return re.findall(r'<button id="(\w+)"', response.text)


def page_notices(response: httpx.Response) -> list[str]:
    """Return the notices of a page."""
    found = re.findall(r'<(p|div) class="notice[^"]*"[^>]*>(.*?)</\1>', response.text, re.S)
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", each)).split()) for _, each in found]


def page_errors(response: httpx.Response) -> dict[str, str]:
    """Return the errors next to the fields."""
    found = re.findall(r'<p class="fault" id="(\w+)-fault">(.*?)</p>', response.text)
    return {name: unescape(said) for name, said in found}


async def send(app: App, path: str, **fields: str) -> str:
    """Send a form and return the address of its redirect."""
    answer = await app.http.post(path, data=fields)
    assert answer.status_code == 303
    return answer.headers["location"]
