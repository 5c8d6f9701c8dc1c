"""A user at a browser who reads texts; clicks and keys are counted."""

import re
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import FilePayload, Locator, Page, expect
from tests.web.browser import sideways_overflow

Words = Callable[..., str]
PATIENCE_S = 60
PRESSABLE = "button:visible, a:visible, summary:visible, label:visible, input[type=submit]:visible"
KEY_HINT = r"(\s*(⇧|Ctrl )?\S)?"
"""A button of the board ends with the key that presses it."""


class Person:
    """A user at a browser. Controls are found by their text in the page language.

    A click is one press of a button or a finger; a choice from a list and a file are two. A key is one letter, plus one
    for each field, to reach it. The seconds are those in which the user waits for the machine.
    """

    def __init__(self, page: Page, say: Words) -> None:
        self.page, self.say = page, say
        self.clicks = self.keys = 0
        self.seconds = 0.0
        self.too_wide: set[str] = set()

    def open(self, address: str) -> None:
        """Open a bookmark or a received link."""
        self.clicks += 1
        with self._waiting():
            self.page.goto(address)

    def click(self, what: str | Locator, **params: object) -> None:
        """Press what bears these words (a message, or the words themselves)."""
        self.clicks += 1
        with self._waiting():
            self._found(what, params).click()

    def type(self, field: str | Locator, text: str) -> None:
        """Type into a field, which is named as in the form."""
        self.keys += len(text) + 1
        with self._waiting():
            self._usable(field).fill(text)

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        self.keys += len(keys)
        with self._waiting():
            for key in keys:
                self.page.keyboard.press(key)

    def choose(self, field: str | Locator, value: str) -> None:
        """Choose from a list."""
        self.clicks += 2
        with self._waiting():
            self._usable(field).select_option(value)

    def pick(self, field: str, typed: str) -> None:
        """Type the beginning of a name and take what is suggested."""
        self.keys += len(typed) + 3
        with self._waiting():
            input = self._usable(field)
            input.fill(typed)
            options = self.page.locator(f'[id="{input.get_attribute("id")}-options"] [role="option"]')
            options.filter(has_text=typed).first.click()

    def attach(self, field: str, file: FilePayload | Path) -> None:
        """Choose a file or take a picture."""
        self.clicks += 2
        with self._waiting():
            self._usable(field).set_input_files(file)

    def sees(self, what: str | Locator, **params: object) -> None:
        """Wait until a page shows these words, or this part."""
        with self._waiting():
            shown = self._shown(what, params)
            expect(shown).to_be_visible(timeout=PATIENCE_S * 1000)

    def waits_for(self, ready: Callable[[], bool], *, reloading: bool = False) -> None:
        """Wait for a condition; with `reloading`, reload the page each time, as a click."""
        until = time.monotonic() + PATIENCE_S
        with self._waiting():
            while not ready():
                assert time.monotonic() < until, f"this did not come: {self.page.url}"
                self.page.wait_for_timeout(100)
                if reloading:
                    self.clicks += 1
                    self.page.reload()

    def download(self, what: str | Locator) -> bytes:
        """The file behind a link."""
        with self.page.expect_download() as file:
            self.click(what)
        return Path(file.value.path()).read_bytes()

    def _shown(self, what: str | Locator, params: dict[str, object]) -> Locator:
        if isinstance(what, Locator):
            return what
        return (
            self.page.locator(what).first if what[0] in "#.[" else self.page.get_by_text(self.say(what, **params)).first
        )

    def _found(self, what: str | Locator, params: dict[str, object]) -> Locator:
        if isinstance(what, Locator):
            return what
        if what[0] in "#.[":
            return self.page.locator(what).first
        words = re.escape(self.say(what, **params))
        return self.page.locator(PRESSABLE).filter(has_text=re.compile(rf"^\s*{words}{KEY_HINT}\s*$")).first

    def _field(self, field: str | Locator) -> Locator:
        if isinstance(field, Locator):
            return field
        # Fields of a kind, such as an amount or a country, carry a mark behind their name.
        named = f'[name="{field}"]:visible, [name="{field}~"]:visible'
        return self.page.locator(field if field[0] in "#.[" else named).first

    def _usable(self, field: str | Locator) -> Locator:
        """Return a field of a page whose scripts have loaded: users are slower than tests."""
        found = self._field(field)
        found.wait_for(state="attached")
        self.page.wait_for_load_state("load")
        return found

    @contextmanager
    def _waiting(self) -> Generator[None]:
        began = time.monotonic()
        yield
        self.seconds += time.monotonic() - began
        try:
            pixels = sideways_overflow(self.page)
        except PlaywrightError:  # the page is on its way to another, which is measured in its turn
            return
        if pixels:
            self.too_wide.add(f"{self.page.url}: {pixels} px")
