"""Labels that Haulier prints: where piece, weight, references and addresses are, seen from the captions `FROM` and `TO`.

Distances are multiples of the distance between the two captions, so a photo may be cropped or scaled. The layout is that of
`haulier.rendering.labels`.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from haulier.contexts.documents.pictures.contract import PictureLine
from haulier.contexts.shipping.label_parsing.rules.layout import Role, join_pieces, lone_caption
from haulier.kernel.values.ids import is_tracking_number

FACTS_FROM, ADDRESSES_UNTIL, SAME_LINE = 2.42, 2.12, 0.12
"""Where the column of facts begins, where the band below the recipient begins, and how far off a line may be."""
ONE_OF_SEVERAL = 0.8
"""Certainty of a weight that is that of one piece of several: the other pieces may weigh something else."""
_PIECES = (
    re.compile(r"(\d{1,4})\s*(?:of|von|sur|de|/)\s*(\d{1,4})", re.IGNORECASE),
    re.compile(r"第\s*(\d{1,4})\s*件\s*[，,]?\s*共\s*(\d{1,4})\s*件"),
)
_WEIGHT = re.compile(r"(\d{1,6})[.,](\d{2})\s*(?:kg|公斤)", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PHONE = re.compile(r"\+?[\d][\d\s().-]{5,18}\d")


class OwnFact(Struct, frozen=True):
    """A fact with the line that states it. `certainty` is that of its meaning, besides that of the line."""

    name: str
    value: str
    line: PictureLine
    certainty: float = 1.0


class OwnLabel(Struct, frozen=True):
    """The lines of both addresses, and the facts beside them."""

    address_lines: list[PictureLine]
    facts: list[OwnFact]


def states_fact(text: str) -> bool:
    """Return True for a count of pieces, a weight or a day, which no line of an address is."""
    stripped = text.strip()
    return any(pattern.fullmatch(stripped) for pattern in (*_PIECES, _WEIGHT, _DAY))


def read_own_label(lines: Sequence[PictureLine], number: str | None) -> OwnLabel | None:
    """Read a label with a Haulier tracking number; None for other labels and where a caption is missing."""
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
    found = (line for line in lines if lone_caption(line.text) is role)
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
    """The name of a sender; it counts where there is no address below it."""
    between = [line for line in join_pieces(addresses) if sender.bottom <= _middle(line) < recipient.top]
    if between:
        first = min(between, key=lambda line: line.top)
        yield OwnFact("sender.name", first.text.strip(), first)
