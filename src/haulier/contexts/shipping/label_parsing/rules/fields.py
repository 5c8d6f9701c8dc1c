"""What a label says: its fields, each with where it stands and how certain it is."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct

from haulier.contexts.documents.pictures.contract import PictureBarcode, PictureBox, PictureLine, PictureReading
from haulier.contexts.shipping.label_parsing.rules.addresses import (
    ELSEWHERE,
    ODD_NAME,
    ReadAddress,
    is_odd,
    lacks_region,
    read_addresses,
)
from haulier.contexts.shipping.label_parsing.rules.carriers import carriers_in, is_name, service_in
from haulier.contexts.shipping.label_parsing.rules.layout import Role, box_around, find_blocks, join_pieces
from haulier.contexts.shipping.label_parsing.rules.own_labels import OwnLabel, read_own_label, states_fact
from haulier.contexts.shipping.label_parsing.rules.review import REVIEW_BELOW, list_uncertain
from haulier.contexts.shipping.label_parsing.rules.tracking_numbers import (
    KnownNumber,
    bare_number,
    is_routing_code,
    known_number,
    mended_number,
    unwrapped_number,
)

NEEDED = ("consignee.name", "consignee.address", "consignee.city", "consignee.country", "tracking_number")
BARS, BARS_AND_CHECK, BARS_AND_TEXT = 0.9, 0.99, 0.97
"""How certain a number is: read from bars, which check themselves, with a carrier's check digit, or found in the text too."""
CAPTIONED_TEXT, UNCAPTIONED_NAME = 0.9, 0.9
_LINEAR_OR_MATRIX = re.compile(r"[0-9A-Z][0-9A-Z .\-]{6,38}[0-9A-Z]")
_NUMBER_CAPTION = re.compile(
    r"\s*(?:track(?:ing)?\s*(?:#|no\.?|number|id)?|trk\s*#?|waybill|awb|pin|parcel\s*(?:no\.?|number)|sendungs(?:nummer|nr\.?)|"
    r"n\s*[°ºo]\s*de\s*(?:suivi|rep[eé]rage|colis|seguimiento|env[ií]o)|(?:num[eé]ro|n[uú]mero)\s*de\s*(?:suivi|seguimiento)|"
    r"运单号|運單號|快递单号|单号|單號|追踪号)\s*[:：#]?\s*(?P<number>[0-9A-Za-z][0-9A-Za-z .\-]{6,40})?",
    re.IGNORECASE,
)


class FoundField(Struct, frozen=True):
    """A field of a label. `source` is `barcode`, `text` or `both`; without a box it stands nowhere by itself."""

    name: str
    value: str
    confidence: float
    source: str
    box: PictureBox | None = None


class AddressOnLabel(Struct, frozen=True):
    """An address that stands on a label, as lines."""

    role: str | None
    text: str
    confidence: float
    box: PictureBox


class ParsedLabel(Struct, frozen=True):
    """What was read. `confidence` is that of the least certain field that an order needs, 0 where one is missing."""

    fields: list[FoundField]
    addresses: list[AddressOnLabel]
    missing: list[str]
    confidence: float

    @property
    def needs_review(self) -> bool:
        """Return True if a field that an order needs or would be made of is uncertain or missing."""
        uncertain = list_uncertain((field.name, field.confidence) for field in self.fields)
        return self.confidence < REVIEW_BELOW or bool(uncertain)


def parse_label(reading: PictureReading, home_country: str | None) -> ParsedLabel:
    """The fields of a label. `home_country` is where addresses are that name no country."""
    lines = join_pieces(reading.lines)
    number = _tracking_number(reading.barcodes, lines)
    own = read_own_label(reading.lines, number[0].value if number else None)
    of_addresses = own.address_lines if own else reading.lines
    addresses = read_addresses(find_blocks([line for line in of_addresses if not _is_elsewhere(line)]), home_country)
    fields = [
        *([number[0]] if number else []),
        *_carrier(number, lines),
        *_service(lines),
        *chain.from_iterable(_address_fields(role, addresses) for role in Role),
    ]
    fields += _own_facts(own, {field.name for field in fields}) if own else ()
    sure = {field.name: field.confidence for field in fields}
    return ParsedLabel(
        fields,
        [_candidate(address) for address in addresses],
        [name for name in NEEDED if name not in sure],
        min(sure.get(name, 0.0) for name in NEEDED),
    )


def _own_facts(own: OwnLabel, found: set[str]) -> Iterator[FoundField]:
    """The facts of an own label that were not found as part of an address; of several references the first."""
    for fact in own.facts:
        if fact.name not in found:
            found.add(fact.name)
            confidence = round(fact.line.confidence * fact.certainty, 3)
            yield FoundField(fact.name, fact.value, confidence, "text", fact.line.box)


def _is_elsewhere(line: PictureLine) -> bool:
    """Return True for a line of no address: a number, a fact of the parcel, the name of a carrier or a service."""
    if _NUMBER_CAPTION.fullmatch(line.text) or states_fact(line.text):
        return True
    return known_number(line.text) is not None or is_name(line.text)


_Numbered = tuple[FoundField, str | None]


def _tracking_number(barcodes: Sequence[PictureBarcode], lines: Sequence[PictureLine]) -> _Numbered | None:
    """The tracking number, the likeliest first: with a carrier's form in bars and text, in bars, in text, then any other."""
    in_bars = list(_known_in_bars(barcodes))
    in_text = list(_known_in_text(lines))
    printed = {known.number: line for known, line in in_text}
    for known, barcode in sorted(in_bars, key=lambda each: each[0].number not in printed):
        source = "both" if known.number in printed else "barcode"
        return FoundField("tracking_number", known.number, BARS_AND_CHECK, source, barcode.box), known.carrier
    if in_text:
        known, line = max(in_text, key=lambda each: each[1].confidence)
        return FoundField("tracking_number", known.number, line.confidence, "text", line.box), known.carrier
    return _plain_number(barcodes, lines)


def _known_in_bars(barcodes: Iterable[PictureBarcode]) -> Iterator[tuple[KnownNumber, PictureBarcode]]:
    for barcode in barcodes:
        for part in (barcode.text, *re.split(r"[\x1e\x1d\x04|,;\s]+|/[a-z]+/", barcode.text)):
            if part and (known := known_number(part)):
                yield known, barcode
                break


def _known_in_text(lines: Iterable[PictureLine]) -> Iterator[tuple[KnownNumber, PictureLine]]:
    for line in lines:
        captioned = _NUMBER_CAPTION.match(line.text)
        bare = captioned["number"] if captioned and captioned["number"] else line.text
        if (known := mended_number(bare)) is not None:
            yield known, line


def _plain_number(barcodes: Sequence[PictureBarcode], lines: Sequence[PictureLine]) -> _Numbered | None:
    """A number of no form that is known here: what bars say, best where the text says it too, or what a caption names."""
    captioned = list(_captioned_numbers(lines))
    printed = {bare_number(line.text) for line in lines} | {number for number, _ in captioned}
    bars = [each for each in barcodes if _is_number(each.text) and not is_routing_code(each.text)]
    for barcode in sorted(bars, key=lambda each: (_is_sscc(each.text), bare_number(each.text) not in printed)):
        number = unwrapped_number(bare_number(barcode.text))
        agreed = number in printed
        confidence = BARS_AND_TEXT if agreed else BARS
        return FoundField("tracking_number", number, confidence, "both" if agreed else "barcode", barcode.box), None
    for number, line in captioned:
        confidence = round(line.confidence * CAPTIONED_TEXT, 3)
        return FoundField("tracking_number", number, confidence, "text", line.box), None
    return None


def _is_number(text: str) -> bool:
    return bool(_LINEAR_OR_MATRIX.fullmatch(text)) and sum(sign.isdigit() for sign in text) >= 6


def _is_sscc(text: str) -> bool:
    """Whether it is the number of a container, which labels bear beside the one that parcels are tracked by."""
    return bool(re.fullmatch(r"00[0-9]{18}", text))


def _captioned_numbers(lines: Sequence[PictureLine]) -> Iterator[tuple[str, PictureLine]]:
    """What stands behind a word for a tracking number, or alone on the line below it."""
    for at, line in enumerate(lines):
        match = _NUMBER_CAPTION.fullmatch(line.text)
        if match and match["number"]:
            following: PictureLine | None = line
            text = match["number"]
        else:
            following = next((each for each in lines[at + 1 :] if each.top > line.top + 1), None) if match else None
            text = following.text if following else ""
        if following and _is_number(text.upper()):
            yield bare_number(text), following


def _carrier(number: _Numbered | None, lines: Sequence[PictureLine]) -> Iterator[FoundField]:
    """Whose label it is: by the form of its number, and by the names on it."""
    named: dict[str, PictureLine] = {}
    for line in lines:
        for code in carriers_in(line.text):
            named.setdefault(code, line)
    if number and number[1]:
        code, field = number[1], number[0]
        confidence = 0.99 if code in named else 0.9
        yield FoundField("carrier", code, confidence, field.source if code not in named else "both", field.box)
    elif named:
        code, line = max(named.items(), key=lambda each: each[1].bottom - each[1].top)
        certainty = UNCAPTIONED_NAME if len(named) == 1 else UNCAPTIONED_NAME / len(named)
        yield FoundField("carrier", code, round(line.confidence * certainty, 3), "text", line.box)


def _service(lines: Sequence[PictureLine]) -> Iterator[FoundField]:
    found = [(service, line) for line in lines if (service := service_in(line.text))]
    if found:
        service, line = max(found, key=lambda each: (each[0].known, len(each[0].name)))
        yield FoundField(
            "service", service.name, round(line.confidence * (1 if service.known else 0.9), 3), "text", line.box
        )


def _address_fields(role: Role, addresses: Sequence[ReadAddress]) -> Iterator[FoundField]:
    """The parts of the most certain address of a role."""
    mine = [each for each in addresses if each.role is role]
    if not mine:
        return
    best = max(mine, key=lambda each: (each.certainty, len(each.values)))
    for name, value in best.values.items():
        lines = best.sources.get(name)
        if lines:
            confidence = min(line.confidence for line in lines) * best.certainty
            confidence *= ODD_NAME if is_odd(name, value) or (name == "city" and lacks_region(best.values)) else 1
            box = box_around([line.box for line in lines])
        else:
            confidence, box = ELSEWHERE * best.certainty, None
        yield FoundField(f"{role.value}.{name}", value, round(confidence, 3), "text", box)


def _candidate(address: ReadAddress) -> AddressOnLabel:
    lines = address.block.lines
    confidence = min(line.confidence for line in lines) * address.certainty
    return AddressOnLabel(
        address.role.value if address.role else None,
        "\n".join(line.text for line in lines),
        round(confidence, 3),
        box_around([line.box for line in lines]),
    )


def lines_of_text(text: str) -> tuple[PictureLine, ...]:
    """The lines of a text that somebody typed or copied: certain, and below each other. An empty line parts blocks."""
    lines = enumerate(line.strip() for line in text.splitlines())
    return tuple(
        PictureLine(line, 1.0, PictureBox(0, 0, 0, 0), 0.0, 20.0 * at, 10.0 * len(line), 20.0 * at + 16)
        for at, line in lines
        if line
    )
