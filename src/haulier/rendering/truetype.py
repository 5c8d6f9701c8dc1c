"""TrueType fonts (OpenType 1.9): glyph widths and subsetting."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from struct import calcsize, pack, unpack_from

_KEPT = ("cvt ", "fpgm", "prep")
_LONG_OFFSETS = 1
_ARE_WORDS, _MORE_COMPONENTS, _HAS_SCALE, _HAS_TWO_SCALES, _HAS_MATRIX = 0x1, 0x20, 0x8, 0x40, 0x80


@dataclass(frozen=True)
class TrueType:
    """A font file with outlines in `glyf`.

    Reads a Unicode `cmap` in format 4 or 12, and metrics, on demand.
    """

    content: bytes

    @cached_property
    def tables(self) -> dict[str, tuple[int, int]]:
        """Offset and length of each table."""
        (count,) = unpack_from(">H", self.content, 4)
        records = (unpack_from(">4sIII", self.content, 12 + 16 * index) for index in range(count))
        return {tag.decode("latin-1"): (offset, length) for tag, _, offset, length in records}

    @cached_property
    def units(self) -> int:
        """Units per em."""
        return self._read("head", 18, ">H")

    @cached_property
    def ascent(self) -> int:
        return self._read("hhea", 4, ">h")

    @cached_property
    def descent(self) -> int:
        """Distance below the baseline, as a negative number."""
        return self._read("hhea", 6, ">h")

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """Bounding box of all glyphs, in units."""
        return unpack_from(">4h", self.content, self.tables["head"][0] + 36)

    @cached_property
    def advances(self) -> "array[int]":
        """Advance of each glyph. Glyphs after the last entry use the last advance."""
        count = self._read("hhea", 34, ">H")
        metrics = array("H", self._table("hmtx")[: 4 * count])
        metrics.byteswap()
        return metrics[::2]

    @cached_property
    def _segments(self) -> tuple[list[int], list[tuple[int, int, int]]]:
        """Character ranges: start, and end, glyph delta and position of a glyph list."""
        start, _ = self.tables["cmap"]
        (count,) = unpack_from(">H", self.content, start + 2)
        records = [unpack_from(">HHI", self.content, start + 4 + 8 * index) for index in range(count)]
        unicode = {(platform, encoding): start + offset for platform, encoding, offset in records}
        at = next(unicode[key] for key in ((3, 10), (0, 4), (3, 1), (0, 3)) if key in unicode)
        ranges = self._groups(at) if unpack_from(">H", self.content, at)[0] == 12 else self._format4(at)
        return [first for first, *_ in ranges], [(last, glyph, listed) for _, last, glyph, listed in ranges]

    def _groups(self, at: int) -> list[tuple[int, int, int, int]]:
        (count,) = unpack_from(">I", self.content, at + 12)
        groups = (unpack_from(">3I", self.content, at + 16 + 12 * index) for index in range(count))
        return [(first, last, glyph - first, 0) for first, last, glyph in groups]

    def _format4(self, at: int) -> list[tuple[int, int, int, int]]:
        (double,) = unpack_from(">H", self.content, at + 6)
        count = double // 2
        lasts = unpack_from(f">{count}H", self.content, at + 14)
        firsts = unpack_from(f">{count}H", self.content, at + 16 + double)
        deltas = unpack_from(f">{count}h", self.content, at + 16 + 2 * double)
        offsets_at = at + 16 + 3 * double
        offsets = unpack_from(f">{count}H", self.content, offsets_at)
        listed = [offset and offsets_at + 2 * index + offset for index, offset in enumerate(offsets)]
        return list(zip(firsts, lasts, deltas, listed, strict=True))

    def glyph(self, character: str) -> int:
        """Return the glyph number of a character; 0 if it is missing."""
        code = ord(character)
        firsts, rest = self._segments
        index = bisect_right(firsts, code) - 1
        if index < 0 or code > rest[index][0]:
            return 0
        _, delta, listed = rest[index]
        if not listed:
            return (code + delta) & 0xFFFF
        (glyph,) = unpack_from(">H", self.content, listed + 2 * (code - firsts[index]))
        return glyph and (glyph + delta) & 0xFFFF

    def advance(self, glyph: int) -> int:
        """Return the advance of a glyph, in units."""
        return self.advances[min(glyph, len(self.advances) - 1)]

    def subset(self, glyphs: Sequence[int]) -> bytes:
        """Return a font that contains only these glyphs, renumbered in order.

        Parts of compound glyphs follow.
        """
        numbers = self._with_parts(glyphs)
        places = {glyph: index for index, glyph in reversed(list(enumerate(numbers)))}
        outlines = [_renumbered(self._outline(glyph), places) for glyph in numbers]
        padded = [outline + b"\0" * (-len(outline) % 4) for outline in outlines]
        offsets = [0]
        for outline in padded:
            offsets.append(offsets[-1] + len(outline))
        widths = b"".join(pack(">Hh", self.advance(glyph), self._left(glyph)) for glyph in numbers)
        head = bytearray(self._table("head"))
        head[50:52] = pack(">h", _LONG_OFFSETS)
        hhea, maxp = bytearray(self._table("hhea")), bytearray(self._table("maxp"))
        hhea[34:36] = maxp[4:6] = pack(">H", len(numbers))
        tables = {
            "glyf": b"".join(padded),
            "head": bytes(head),
            "hhea": bytes(hhea),
            "hmtx": widths,
            "loca": pack(f">{len(offsets)}I", *offsets),
            "maxp": bytes(maxp),
        }
        return _font_file(tables | {tag: self._table(tag) for tag in _KEPT if tag in self.tables})

    def _with_parts(self, glyphs: Iterable[int]) -> list[int]:
        numbers = list(glyphs)
        seen = set(numbers)
        for glyph in numbers:
            for _, part in _parts(self._outline(glyph)):
                if part not in seen:
                    seen.add(part)
                    numbers.append(part)
        return numbers

    def _outline(self, glyph: int) -> bytes:
        start, _ = self.tables["glyf"]
        at, _ = self.tables["loca"]
        if self._read("head", 50, ">h") == _LONG_OFFSETS:
            first, end = unpack_from(">2I", self.content, at + 4 * glyph)
        else:
            first, end = (2 * offset for offset in unpack_from(">2H", self.content, at + 2 * glyph))
        return self.content[start + first : start + end]

    def _left(self, glyph: int) -> int:
        at, count = self.tables["hmtx"][0], len(self.advances)
        where = 4 * glyph + 2 if glyph < count else 4 * count + 2 * (glyph - count)
        return unpack_from(">h", self.content, at + where)[0]

    def _table(self, tag: str) -> bytes:
        offset, length = self.tables[tag]
        return self.content[offset : offset + length]

    def _read(self, tag: str, offset: int, form: str) -> int:
        return unpack_from(form, self.content, self.tables[tag][0] + offset)[0]


def _parts(outline: bytes) -> list[tuple[int, int]]:
    """Return the parts of a compound glyph, with the position of each number."""
    if len(outline) < 2 or unpack_from(">h", outline)[0] >= 0:
        return []
    parts, at, flags = [], 10, _MORE_COMPONENTS
    while flags & _MORE_COMPONENTS:
        flags, glyph = unpack_from(">2H", outline, at)
        parts.append((at + 2, glyph))
        at += 4 + (4 if flags & _ARE_WORDS else 2)
        at += 2 if flags & _HAS_SCALE else 4 if flags & _HAS_TWO_SCALES else 8 if flags & _HAS_MATRIX else 0
    return parts


def _renumbered(outline: bytes, places: dict[int, int]) -> bytes:
    changed = bytearray(outline)
    for at, glyph in _parts(outline):
        changed[at : at + 2] = pack(">H", places[glyph])
    return bytes(changed)


def _font_file(tables: dict[str, bytes]) -> bytes:
    count = len(tables)
    power = 1 << count.bit_length() - 1
    header = pack(">I4H", 0x00010000, count, 16 * power, power.bit_length() - 1, 16 * (count - power))
    records, bodies = [], []
    offset = calcsize(">I4H") + 16 * count
    for tag, body in sorted(tables.items()):
        records.append(pack(">4s3I", tag.encode(), _checksum(body), offset, len(body)))
        padded = body + b"\0" * (-len(body) % 4)
        bodies.append(padded)
        offset += len(padded)
    return header + b"".join(records) + b"".join(bodies)


def _checksum(body: bytes) -> int:
    padded = body + b"\0" * (-len(body) % 4)
    return sum(unpack_from(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
