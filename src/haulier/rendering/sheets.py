"""Office paper: header, footer and tables across pages.

The header shows the document number and a QR code.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import msgspec

from haulier.kernel.i18n.languages import Catalogues
from haulier.rendering.barcodes import place_barcode
from haulier.rendering.page import Bar, Item, Page, Picture, Symbology, Text, frame
from haulier.rendering.typesetting import fit_text, text_width, wrap_text

PAPERS = {"a4": (1678, 2373), "letter": (1726, 2233)}
"""Width and height in dots: ISO 216 A4, and 8.5 by 11 inches."""
MARGIN = 120
FOOT = 150
QR_SIDE = 190
TOP = 400
SMALL, BODY, LARGE = 24, 30, 40
CELL_LINES = 6
"""Maximum number of lines of a cell."""
BLOCK_LINES = 3
"""Maximum number of lines of one line of an address block."""


class PaperHead(msgspec.Struct, frozen=True, kw_only=True):
    """Header and settings of a document."""

    issuer: str
    """Name of the business."""
    number: str
    """Document number."""
    verify_url: str
    """URL in the QR code; empty for a document without verification, which has no QR code."""
    moment: str
    """Creation time, localized."""
    language: str = "en"
    paper: str = "a4"
    """`a4` or `letter`."""


class Column(msgspec.Struct, frozen=True):
    """A column of a table: title, share of the width, and alignment."""

    title: str
    share: float
    align: str = "left"
    lead: bool = False
    """True if the first line of a cell is bold, such as a name above its address."""


@lru_cache(maxsize=1)
def _catalogues() -> Catalogues:
    return Catalogues()


class Sheets:
    """Pages that are filled from top to bottom."""

    def __init__(self, head: PaperHead, title_id: str) -> None:
        self.head = head
        self.say: Callable[..., str] = partial(_catalogues().translate, head.language)
        self.width, self.height = PAPERS[head.paper]
        self.room = self.width - 2 * MARGIN
        self._title = self.say(title_id)
        self._pages: list[list[Item]] = []
        self.y = 0
        self.start_page()

    @property
    def _bottom(self) -> int:
        return self.height - FOOT

    def start_page(self) -> None:
        """Start a new page."""
        head, left = self.head, self.width - MARGIN - QR_SIDE
        room = self.room - QR_SIDE - 40
        side: dict[str, Any] = {"x": left, "y": 90, "width": QR_SIDE, "height": QR_SIDE}
        qr = [place_barcode(Symbology.QR, head.verify_url, **side)] if head.verify_url else []
        self._pages.append(
            [
                Text(MARGIN, 150, 44, fit_text(head.issuer, 44, room, True), True),
                Text(MARGIN, 220, 56, fit_text(self._title, 56, room, True), True),
                Text(MARGIN, 275, BODY, fit_text(f"{head.number}   {head.moment}", BODY, room)),
                *qr,
                Bar(MARGIN, 320, self.room, 4),
            ]
        )
        self.y = TOP

    def need(self, height: int) -> None:
        """Start a new page unless this much space is left."""
        if self.y + height > self._bottom and self.y > TOP:
            self.start_page()

    def add(self, *items: Item) -> None:
        """Add items to the current page."""
        self._pages[-1].extend(items)

    def line(self, text: str, size: int = BODY, *, bold: bool = False, lines: int = 1) -> None:
        """Add a text across the page, with at most `lines` lines."""
        for part in wrap_text(text, size, self.room, lines, bold):
            self.need(size * 2)
            self.add(Text(MARGIN, self.y, size, part, bold))
            self.y += size * 3 // 2

    def space(self, height: int = 30) -> None:
        """Add vertical space."""
        self.y += height

    def facts(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Add names and values in two columns."""
        shown = [(name, value) for name, value in pairs if value]
        half = self.room // 2
        for number, (name, value) in enumerate(shown):
            left = MARGIN + half * (number % 2)
            self.add(
                Text(left, self.y, SMALL, fit_text(name, SMALL, half - 20)),
                Text(left, self.y + 38, BODY, fit_text(value, BODY, half - 20, True), True),
            )
            if number % 2 or number == len(shown) - 1:
                self.y += 90
        self.y += 24 if shown else 0

    def blocks(self, blocks: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Add titled address blocks side by side."""
        width = self.room // max(1, len(blocks))
        wrapped = [
            (title, [part for line in lines for part in wrap_text(line, BODY, width - 30, BLOCK_LINES)])
            for title, lines in blocks
        ]
        tallest = max(len(lines) for _, lines in wrapped)
        self.need(60 + 40 * tallest)
        for number, (title, lines) in enumerate(wrapped):
            left = MARGIN + width * number
            self.add(Text(left, self.y, SMALL, fit_text(title, SMALL, width - 30, True), True))
            for row, line in enumerate(lines, 1):
                self.add(Text(left, self.y + 4 + 40 * row, BODY, line))
        self.y += 80 + 40 * tallest

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """Add a table.

        Its header is repeated on every page. A line break in a cell starts another line.
        """
        self.need(200)
        self._draw_table_head(columns)
        for row in rows:
            cells = [self._wrap_cell(column, cell) for column, cell in zip(columns, row, strict=True)]
            height = 34 * max(1, *map(len, cells)) + 16
            if self.y + height > self._bottom:
                self.start_page()
                self._draw_table_head(columns)
            for left, column, lines in zip(self._lefts(columns), columns, cells, strict=True):
                for number, (line, bold) in enumerate(lines):
                    self.add(self._cell(column, left, self.y + 34 * number, line, bold=bold))
            self.y += height
            self.add(Bar(MARGIN, self.y - 34, self.room, 1))

    def _wrap_cell(self, column: Column, text: str) -> list[tuple[str, bool]]:
        """Return the lines of a cell; True marks a bold one."""
        width = self.room * column.share - 20
        lines = [
            (part, column.lead and number == 0)
            for number, line in enumerate(text.split("\n"))
            for part in wrap_text(line, SMALL + 2, width, CELL_LINES, column.lead and number == 0)
        ]
        return lines[:CELL_LINES]

    def totals(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Add names and amounts below a table. The last pair is emphasized."""
        left = MARGIN + self.room // 2
        self.need(60 * len(pairs) + 40)
        for number, (name, amount) in enumerate(pairs, 1):
            last = number == len(pairs)
            size = 36 if last else BODY
            if last:
                self.add(Bar(left, self.y - 20, self.room // 2, 3))
                self.y += 30
            room = self.room // 2 - text_width(amount, size, last) - 40
            self.add(
                Text(left, self.y, size, fit_text(name, size, room, last), last),
                Text(self.width - MARGIN - 20, self.y, size, amount, last, "right"),
            )
            self.y += 50
        self.y += 20

    def signatures(self, fields: Sequence[tuple[str, str]]) -> None:
        """Add lines to sign on, each with its label and a known name."""
        width = self.room // len(fields)
        self.need(170)
        self.y += 110
        for number, (label, name) in enumerate(fields):
            left = MARGIN + width * number
            if name:
                self.add(Text(left, self.y - 14, BODY, fit_text(name, BODY, width - 60)))
            self.add(
                Bar(left, self.y, width - 60, 2), Text(left, self.y + 36, SMALL, fit_text(label, SMALL, width - 60))
            )
        self.y += 70

    def _draw_table_head(self, columns: Sequence[Column]) -> None:
        for left, column in zip(self._lefts(columns), columns, strict=True):
            title = fit_text(column.title, SMALL, self.room * column.share - 20, True)
            self.add(self._cell(column, left, self.y, title, bold=True, size=SMALL))
        self.add(Bar(MARGIN, self.y + 12, self.room, 3))
        self.y += 54

    def _lefts(self, columns: Sequence[Column]) -> list[float]:
        lefts = [float(MARGIN)]
        for column in columns:
            lefts.append(lefts[-1] + self.room * column.share)
        return lefts[:-1]

    def _cell(self, column: Column, left: float, y: int, text: str, *, bold: bool, size: int = SMALL + 2) -> Text:
        if column.align == "right":
            return Text(left + self.room * column.share - 20, y, size, text, bold, "right")
        return Text(left, y, size, text, bold)

    def barcode(self, number: str) -> None:
        """Add a number as Code 128 on the left."""
        self.need(180)
        symbol = place_barcode(
            Symbology.CODE_128, number, x=MARGIN - 30, y=self.y - 20, width=self.room // 2, height=100, most_module=3
        )
        self.add(symbol, Text(symbol.x + symbol.width / 2, self.y + 118, BODY, number, False, "center"))
        self.y += 180

    def picture(self, title: str, content: bytes, media_type: str, height: int, *, note: str = "") -> None:
        """Add a framed picture across the page, with a title and a note."""
        self.need(height + 110)
        self.add(Text(MARGIN, self.y, SMALL, title, True), *frame(MARGIN, self.y + 16, self.room, height))
        self.add(Picture(MARGIN + 8, self.y + 24, self.room - 16, height - 16, content, media_type))
        if note:
            self.add(Text(MARGIN, self.y + height + 48, 20, fit_text(note, 20, self.room)))
        self.y += height + 110

    def to_pages(self) -> list[Page]:
        """Return the pages, with page numbers and verification instructions."""
        count = len(self._pages)
        foot = self.say("paper_verify", url=self.head.verify_url) if self.head.verify_url else ""
        pages: list[Page] = []
        for number, items in enumerate(self._pages, 1):
            words = self.say("paper_page", page=number, pages=count)
            room = self.room - text_width(words, 22) - 30
            y = self.height - 80
            pages.append(
                Page(
                    self.width,
                    self.height,
                    [
                        *items,
                        Bar(MARGIN, y - 36, self.room, 2),
                        Text(MARGIN, y, 22, fit_text(foot, 22, room)),
                        Text(self.width - MARGIN, y, 22, words, False, "right"),
                    ],
                )
            )
        return pages
