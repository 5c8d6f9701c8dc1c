"""Rules of label parsing: layout.

Distances are multiples of the distance between the two captions, so a photo may be cropped or scaled. The layout is that of
`haulier.rendering.labels`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.documents.pictures.contract import PictureBox, PictureLine
from haulier.kernel.values.ids import is_tracking_number
from haulier.kernel.values.words import fold

PIECE_GAP, LINE_GAP, INDENT = 1.6, 1.8, 2.0
"""Line layout in letter heights: gap between words, gap between lines, indentation."""
HEIGHT_RATIO = 2.1
"""Lines of a block have letters of about one size."""
CAPTION_REACH = 6.0
"""Distance of a block from its caption, in caption heights."""


class Role(StrEnum):
    """Roles of an address block."""

    SENDER = "sender"
    CONSIGNEE = "consignee"


_CAPTIONS = {
    Role.SENDER: (
        r"ship(?:ped)?\s*from|from|sender|shipper|return\s*(?:to|address)|exp[eé]diteur|absender|remitente|"
        r"fr[aåâ]n|avs[aä]ndare|avsender|afsender|nadawca|"
        r"寄件人|发件人|發件人|寄件"
    ),
    Role.CONSIGNEE: (
        r"ship\s*to|deliver(?:y)?\s*to|sold\s*to|to|consignee|recipient|receiver|destinataire|"
        r"empf[aä]nger|destinatario|para|till|mottagare|mottaker|modtager|odbiorca|收件人|收货人|收貨人|收件"
    ),
}
_SHORT = {Role.SENDER: "de|von", Role.CONSIGNEE: "[aà]|an|para"}
"""Words that are captions with a colon behind them only: `DE` alone is Germany."""
_LONE = {
    role: re.compile(rf"\s*(?:(?:{words})\s*[:：]?|(?:{_SHORT[role]})\s*[:：])\s*", re.IGNORECASE)
    for role, words in _CAPTIONS.items()
}
_LEADING = {
    role: re.compile(rf"\s*(?:{words}|{_SHORT[role]})\s*[:：]\s*(?P<rest>\S.*)", re.IGNORECASE)
    for role, words in _CAPTIONS.items()
}

_LONG_CAPTIONS = {
    "sender": Role.SENDER, "shipper": Role.SENDER, "ship from": Role.SENDER, "return address": Role.SENDER,
    "expediteur": Role.SENDER, "absender": Role.SENDER, "remitente": Role.SENDER,
    "consignee": Role.CONSIGNEE, "recipient": Role.CONSIGNEE, "receiver": Role.CONSIGNEE, "deliver to": Role.CONSIGNEE,
    "destinataire": Role.CONSIGNEE, "empfanger": Role.CONSIGNEE, "destinatario": Role.CONSIGNEE,
}  # fmt: skip
LIKENESS = 0.8
"""Minimum similarity of a long caption with misread letters."""
_BARE_TO = re.compile(r"\s*(?:TO|To)\s+(?P<rest>[^\W\d_].*)")
"""A small `TO` before the name, as FedEx prints it. `To` is also a surname, so it counts only without other
captions."""
_HALF_CAPTION = re.compile(r"\s*(?:ship|deliver)\s*", re.IGNORECASE)
"""The upper half of `SHIP` over `TO:`."""


class Block(Struct):
    """Lines that stand below each other, from above."""

    lines: list[PictureLine]
    role: Role | None = None

    @property
    def left(self) -> float:
        """Return the left edge."""
        return min(line.left for line in self.lines)

    @property
    def top(self) -> float:
        """Return the upper edge."""
        return min(line.top for line in self.lines)

    @property
    def letter_height(self) -> float:
        """Return the letter height."""
        return sum(height_of(line) for line in self.lines) / len(self.lines)


def height_of(line: PictureLine) -> float:
    """Return the height of a line, never 0."""
    return max(line.bottom - line.top, 1.0)


def find_blocks(lines: Sequence[PictureLine]) -> list[Block]:
    """Return the blocks of a label from top to bottom, with roles by caption."""
    captions: list[tuple[Role, PictureLine]] = []
    rest: list[PictureLine] = []
    leading: dict[int, Role] = {}
    for line in join_pieces(line for line in lines if not _HALF_CAPTION.fullmatch(line.text)):
        if role := standalone_caption(line.text):
            captions.append((role, line))
            continue
        role, bare = _leading_caption(line)
        if role:
            leading[id(bare)] = role
        rest.append(bare)
    if Role.CONSIGNEE not in {*leading.values(), *(role for role, _ in captions)}:
        rest = [_without_bare_to(line, leading) for line in rest]
    blocks = [part for block in _stack(rest) for part in _split(block, leading, captions)]
    for role, caption in captions:
        _assign_role(role, caption, blocks)
    return sorted(blocks, key=lambda block: (block.top, block.left))


def join_pieces(lines: Iterable[PictureLine]) -> list[PictureLine]:
    """Join lines that were read in pieces; ordered from top left."""
    joined: list[PictureLine] = []
    for line in sorted(lines, key=lambda line: (line.left, line.top)):
        if (before := next((each for each in joined if _continues(each, line)), None)) is not None:
            joined[joined.index(before)] = _join(before, line)
        else:
            joined.append(line)
    return sorted(joined, key=lambda line: (line.top, line.left))


def _continues(before: PictureLine, line: PictureLine) -> bool:
    low, high = sorted((height_of(before), height_of(line)))
    gap = line.left - before.right
    level = abs((before.top + before.bottom) - (line.top + line.bottom)) / 2 < 0.35 * high
    return level and high / low < 1.6 and -0.5 * low < gap < PIECE_GAP * low and not standalone_caption(before.text)


def _join(a: PictureLine, b: PictureLine) -> PictureLine:
    return PictureLine(
        f"{a.text} {b.text}",
        min(a.confidence, b.confidence),
        box_around([a.box, b.box]),
        min(a.left, b.left),
        min(a.top, b.top),
        max(a.right, b.right),
        max(a.bottom, b.bottom),
    )


def box_around(boxes: Sequence[PictureBox]) -> PictureBox:
    """Return the bounding box of boxes."""
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    return PictureBox(left, top, round(right - left, 4), round(bottom - top, 4))


def standalone_caption(text: str) -> Role | None:
    """Return the role that a caption line gives to the address beside it, or None."""
    exact = next((role for role, pattern in _LONE.items() if pattern.fullmatch(text)), None)
    like = get_close_matches(fold(text).strip(" :."), _LONG_CAPTIONS, n=1, cutoff=LIKENESS)
    return exact or (_LONG_CAPTIONS[like[0]] if like else None)


def _leading_caption(line: PictureLine) -> tuple[Role | None, PictureLine]:
    for role, pattern in _LEADING.items():
        if match := pattern.fullmatch(line.text):
            return role, replace(line, text=match["rest"].strip())
    return None, line


def _without_bare_to(line: PictureLine, leading: dict[int, Role]) -> PictureLine:
    if not (match := _BARE_TO.fullmatch(line.text)):
        return line
    bare = replace(line, text=match["rest"])
    leading[id(bare)] = Role.CONSIGNEE
    return bare


def _stack(lines: Sequence[PictureLine]) -> list[Block]:
    """Return blocks of aligned lines with letters of one size."""
    blocks: list[Block] = []
    for line in sorted(lines, key=lambda line: line.top):
        if (block := next((each for each in reversed(blocks) if _follows(each.lines[-1], line)), None)) is not None:
            block.lines.append(line)
        else:
            blocks.append(Block([line]))
    return blocks


def _follows(above: PictureLine, line: PictureLine) -> bool:
    low, high = sorted((height_of(above), height_of(line)))
    aligned = abs(above.left - line.left) < INDENT * high or _is_centred(above, line, high)
    return aligned and high / low < HEIGHT_RATIO and -0.6 * low < line.top - above.bottom < LINE_GAP * high


def _is_centred(above: PictureLine, line: PictureLine, height: float) -> bool:
    return abs((above.left + above.right) - (line.left + line.right)) / 2 < 0.5 * height


def _split(block: Block, leading: dict[int, Role], captions: Sequence[tuple[Role, PictureLine]]) -> list[Block]:
    """Split a block at captions before or between its lines."""
    parts: list[Block] = []
    for line in block.lines:
        role = leading.get(id(line))
        above = parts[-1].lines[-1].top if parts else None
        between = above is not None and any(
            above < caption.top < line.top and caption.left < line.right and caption.right > line.left
            for _, caption in captions
        )
        if not parts or role or between:
            parts.append(Block([line], role))
        else:
            parts[-1].lines.append(line)
    return parts


def _assign_role(role: Role, caption: PictureLine, blocks: Sequence[Block]) -> None:
    """Assign a role to the nearest block below or to the right of a caption."""
    reach = CAPTION_REACH * height_of(caption)
    near = [
        (distance, index)
        for index, block in enumerate(blocks)
        if block.role in (None, role)
        if (distance := _distance(caption, block)) is not None and distance < reach
    ]
    if near:
        blocks[min(near)[1]].role = role


def _distance(caption: PictureLine, block: Block) -> float | None:
    """Return the distance from a caption to a block below or to the right, or None."""
    first, height = block.lines[0], height_of(caption)
    bottom = max(line.bottom for line in block.lines)
    if first.left >= caption.right - 0.5 * height and first.top - height < caption.top < bottom:
        return first.left - caption.right + abs(first.top - caption.top) / 4
    right = max(line.right for line in block.lines)
    if first.top >= caption.bottom - 0.5 * height and block.left - 6 * height < caption.left < right:
        return first.top - caption.bottom + abs(block.left - caption.left) / 2
    return None


FACTS_FROM, ADDRESSES_UNTIL, SAME_LINE = 2.42, 2.12, 0.12
"""Where the column of facts begins, where the band below the recipient begins, and how far off a line may be."""
ONE_OF_SEVERAL = 0.8
"""Confidence of a weight of one package among several."""
_PIECES = (
    re.compile(r"(\d{1,4})\s*(?:of|von|sur|de|/)\s*(\d{1,4})", re.IGNORECASE),
    re.compile(r"第\s*(\d{1,4})\s*件\s*[，,]?\s*共\s*(\d{1,4})\s*件"),
)
_WEIGHT = re.compile(r"(\d{1,6})[.,](\d{2})\s*(?:kg|公斤)", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PHONE = re.compile(r"\+?[\d][\d\s().-]{5,18}\d")


class OwnFact(Struct, frozen=True):
    """A fact with its line. `certainty` is that of its meaning, apart from the line's."""

    name: str
    value: str
    line: PictureLine
    certainty: float = 1.0


class OwnLabel(Struct, frozen=True):
    """The lines of both addresses, and the facts beside them."""

    address_lines: list[PictureLine]
    facts: list[OwnFact]


def states_fact(text: str) -> bool:
    """Return True for a line with a package count, weight or date."""
    stripped = text.strip()
    return any(pattern.fullmatch(stripped) for pattern in (*_PIECES, _WEIGHT, _DAY))


def read_own_label(lines: Sequence[PictureLine], number: str | None) -> OwnLabel | None:
    """Parse a Haulier label, or return None for other labels."""
    if number is None or not is_tracking_number(number):
        return None
    sender, recipient = (_caption(lines, role) for role in (Role.SENDER, Role.CONSIGNEE))
    if sender is None or recipient is None or _middle(recipient) <= _middle(sender):
        return None
    unit = _middle(recipient) - _middle(sender)
    top, bottom = _middle(sender) - SAME_LINE * unit, _middle(sender) + ADDRESSES_UNTIL * unit
    column = sender.left + FACTS_FROM * unit
    within = [line for line in lines if top < _middle(line) < bottom]
    facts = [line for line in within if line.left > column]
    head = [line for line in join_pieces(lines) if _middle(line) <= top]
    beside = [line for line in join_pieces(facts) if _middle(line) < _middle(recipient) - SAME_LINE * unit]
    level = [line for line in join_pieces(facts) if abs(_middle(line) - _middle(recipient)) < SAME_LINE * unit]
    addresses = [line for line in within if line.left <= column]
    return OwnLabel(
        addresses,
        [
            *_pieces_and_weight(head, beside),
            *(OwnFact("reference", line.text.strip(), line) for line in beside if not states_fact(line.text)),
            *(
                OwnFact("consignee.phone", line.text.strip(), line)
                for line in level
                if _PHONE.fullmatch(line.text.strip())
            ),
            *_sender_name(addresses, sender, recipient),
        ],
    )


def _caption(lines: Sequence[PictureLine], role: Role) -> PictureLine | None:
    found = (line for line in lines if standalone_caption(line.text) is role)
    return min(found, key=lambda line: line.top, default=None)


def _middle(line: PictureLine) -> float:
    return (line.top + line.bottom) / 2


def _pieces_and_weight(head: Sequence[PictureLine], beside: Sequence[PictureLine]) -> Iterator[OwnFact]:
    pieces = 1
    for line in head:
        if match := next(filter(None, (pattern.search(line.text) for pattern in _PIECES)), None):
            pieces = int(match[2])
            yield OwnFact("piece", str(int(match[1])), line)
            yield OwnFact("pieces", str(pieces), line)
            break
    for line in beside:
        if match := _WEIGHT.fullmatch(line.text.strip()):
            grams = int(match[1]) * 1000 + int(match[2]) * 10
            yield OwnFact("weight_g", str(grams), line, ONE_OF_SEVERAL if pieces > 1 else 1.0)


def _sender_name(addresses: Sequence[PictureLine], sender: PictureLine, recipient: PictureLine) -> Iterator[OwnFact]:
    """Yield the sender's name if there is no address below it."""
    between = [line for line in join_pieces(addresses) if sender.bottom <= _middle(line) < recipient.top]
    if between:
        first = min(between, key=lambda line: line.top)
        yield OwnFact("sender.name", first.text.strip(), first)
