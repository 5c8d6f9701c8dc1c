"""Rules of label parsing: fields."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.documents.pictures.contract import PictureBarcode, PictureBox, PictureLine, PictureReading
from haulier.contexts.places.geocoding.rules.formats import UnreadAddress, read_address
from haulier.contexts.places.geocoding.rules.words import find_country
from haulier.contexts.shipping.label_parsing.rules.layout import (
    Block,
    OwnLabel,
    Role,
    box_around,
    find_blocks,
    join_pieces,
    read_own_label,
    states_fact,
)
from haulier.contexts.shipping.label_parsing.rules.tracking_numbers import (
    KnownNumber,
    bare_number,
    carriers_in,
    is_name,
    is_routing_code,
    known_number,
    repair_number,
    service_in,
    unwrapped_number,
)
from haulier.kernel.operations.errors import FieldError, declare_error

_UNIT = re.compile(
    r"(?:(?:apt|apartment|unit|suite|ste|flat|floor|app|appt|bureau|[eé]tage|stock|wohnung|piso|puerta)\b\.?|#)\s*"
    r"[\w-]{1,8}",
    re.IGNORECASE,
)
_STREET_AND_UNIT = re.compile(rf"(?P<street>[^,]*\d[^,]*),\s*(?P<unit>{_UNIT.pattern})", re.IGNORECASE)
_PHONE = re.compile(
    r"(?:(?:tel|phone|ph|t[eé]l|telefon|tel[eé]fono|电话|電話)\b\.?\s*[:：]?\s*)?(\+?[\d][\d\s().-]{6,18}\d)", re.I
)
_EMAIL = re.compile(r"[^\s@]+@[^\s@]+\.[a-z]{2,}", re.IGNORECASE)
_ASIDE = re.compile(
    r"(?:ref|reference|order|po|p\.o\.|invoice|inv|dept|attn|weight|wt|ship\s*date|date|pkg|pieces?|billing|desc)\b.{0,3}[:#].*",
    re.IGNORECASE,
)
_RUN_TOGETHER = re.compile(
    r"(?<=\b[0-9]{5})(?=[^\W\d_]{3})|(?<=[a-z])(?=[A-Z]{2}\b)|(?<=[a-z])(?=[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}$)|"
    r"(?<=[^\W\d_] [A-Z]{2})(?=[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]\b)|(?<=\b[A-Z]{2})(?=[0-9]{5}(?:-[0-9]{4})?$)|"
    r"(?<=\bUNITED|\bUnited)(?=STATES|KINGDOM|States|Kingdom)"
)
"""Words that are often joined: five-digit, British and Canadian postal codes, regions, and two countries."""
_CODE_OF_COUNTRY = re.compile(r"^(.*[0-9].*) ([A-Z]{2})$")
_DIGIT_IN_WORD = re.compile(r"[^\W\d_][01]|[01][^\W\d_]")
_DIGIT_AMONG_LETTERS = re.compile(r"[^\W\d_]{2}[01][^\W\d_]")
_WRITE_REGIONS = {"CA", "US"}
MAX_LINES = 8
NO_CODE, INFERRED_ROLE, ELSEWHERE, ODD_NAME = 0.75, 0.9, 0.9, 0.8
"""Confidence factors: no postal code, inferred role, country of the other address, digit in a name."""


class ReadAddress(Struct):
    """An address, its parts by name, and which lines each was read from."""

    block: Block
    values: dict[str, str]
    sources: dict[str, list[PictureLine]]
    certainty: float
    role: Role | None = None

    @property
    def is_address(self) -> bool:
        """Return True if a parcel can be delivered to the address."""
        return "city" in self.values and ("postal_code" in self.values or "address" in self.values)


def read_block(block: Block, home_country: str | None) -> ReadAddress | None:
    """Return a block as an address, or None."""
    values: dict[str, str] = {}
    sources: dict[str, list[PictureLine]] = {}
    rest: list[PictureLine] = []
    for whole in block.lines[:MAX_LINES]:
        line = _without_unit(whole, values, sources)
        part = _part_of_line(line.text)
        if part is None:
            rest.append(line)
        elif part[0] and part[0] not in values:
            values[part[0]], sources[part[0]] = part[1], [line]
    if len(rest) < 2:
        return None
    names, places = _part_names(rest)
    told = _read_places(places, home_country)
    if not told.get("postal_code") and not (told.get("address") and told.get("city") and len(places) > 1):
        return None
    _extract_names(names, values, sources)
    for name, value in told.items():
        if value:
            values[name], sources[name] = value, _lines_with(places, value)
    return ReadAddress(block, values, sources, 1.0 if told["postal_code"] else NO_CODE, block.role)


def _without_unit(line: PictureLine, values: dict[str, str], sources: dict[str, list[PictureLine]]) -> PictureLine:
    """Take a unit from the end of a street's line: `100 Queen St W, Suite 5`."""
    match = _STREET_AND_UNIT.fullmatch(line.text.strip())
    if match is None or "unit" in values:
        return line
    values["unit"], sources["unit"] = match["unit"].strip(), [line]
    return replace(line, text=match["street"])


def is_suspicious(part: str, text: str) -> bool:
    """Return True if a name, town or street is probably misread, such as `0liver`."""
    odd = {"name": _DIGIT_IN_WORD, "city": _DIGIT_IN_WORD, "address": _DIGIT_AMONG_LETTERS}.get(part)
    return odd is not None and odd.search(text) is not None


def lacks_region(values: Mapping[str, str]) -> bool:
    """Return True if the address lacks a required region.

    Then `VANCOUVERBC` may stand in place of the town.
    """
    return values.get("country") in _WRITE_REGIONS and "region" not in values


def _part_of_line(text: str) -> tuple[str, str] | None:
    """Return the address part of a line; None for name and place lines."""
    if match := _EMAIL.search(text):
        return "email", match[0]
    if match := _PHONE.fullmatch(text.strip()):
        return "phone", match[1].strip()
    if _UNIT.fullmatch(text.strip()):
        return "unit", text.strip()
    return ("", "") if _ASIDE.fullmatch(text.strip()) else None


def _part_names(lines: Sequence[PictureLine]) -> tuple[list[PictureLine], list[PictureLine]]:
    """Return the name lines and the place lines.

    A name is the first line, and a business a second one without digits.
    """
    count = 1
    if len(lines) > 3 and not _has_digit(lines[1].text) and _has_digit(lines[2].text):
        count = 2
    return list(lines[:count]), list(lines[count:])


def _has_digit(text: str) -> bool:
    return any(sign.isdigit() for sign in text)


def _extract_names(names: Sequence[PictureLine], values: dict[str, str], sources: dict[str, list[PictureLine]]) -> None:
    for name, line in zip(("name", "company"), names, strict=False):
        values[name], sources[name] = line.text.strip(" ,;"), [line]


def _read_places(lines: Sequence[PictureLine], home: str | None) -> dict[str, str | None]:
    """Return the place parts that are present; the country only if it is named."""
    text = _written(lines)
    readings = read_address(UnreadAddress(text, home_country=home))
    if not readings:
        return {}
    likeliest = readings[0]
    named = {each.country for each in read_address(UnreadAddress(text))}
    return {
        "address": likeliest.address,
        "city": likeliest.city,
        "region": likeliest.region,
        "postal_code": likeliest.postal_code,
        "country": likeliest.country if likeliest.country in named else None,
    }


def _written(lines: Sequence[PictureLine]) -> str:
    """Return the lines with words separated and the country code on its own line."""
    *above, last = (_RUN_TOGETHER.sub(" ", line.text) for line in lines)
    ended = _CODE_OF_COUNTRY.match(last)
    return "\n".join([*above, ended[1], ended[2]] if ended and find_country(ended[2]) else [*above, last])


def _lines_with(lines: Sequence[PictureLine], value: str) -> list[PictureLine]:
    """Return the lines of a part, or all lines if it has none of its own."""
    wanted = value.casefold().replace(" ", "")
    found = [line for line in lines if wanted in line.text.casefold().replace(" ", "")]
    return found[-1:] or list(lines[-1:])


def read_addresses(blocks: Sequence[Block], home_country: str | None) -> list[ReadAddress]:
    """Return all addresses of a label with their roles, if known.

    An address without a country is in the home country, or else in that of another address on the label.
    """
    first = _read_all(blocks, home_country)
    told = (each.values["country"] for each in first if "country" in each.values)
    fallback = home_country or next(told, None)
    found = _read_all(blocks, fallback) if fallback != home_country else first
    _assign_roles(found)
    for each in found:
        if fallback:
            each.values.setdefault("country", fallback)
    return found


def _read_all(blocks: Sequence[Block], home_country: str | None) -> list[ReadAddress]:
    read = (read_block(block, home_country) for block in blocks)
    return [each for each in read if each is not None and each.is_address]


def _assign_roles(found: Sequence[ReadAddress]) -> None:
    """Assign roles without captions.

    The recipient has the largest letters, the sender comes first.
    """
    told = {each.role for each in found}
    free = [each for each in found if each.role is None]
    if Role.CONSIGNEE not in told and free:
        largest = max(free, key=lambda each: (round(each.block.letter_height / 4), each.block.top))
        _infer(largest, Role.CONSIGNEE)
        free.remove(largest)
    if Role.SENDER not in told and free:
        _infer(min(free, key=lambda each: each.block.top), Role.SENDER)


def _infer(address: ReadAddress, role: Role) -> None:
    address.role = role
    address.certainty *= INFERRED_ROLE


REVIEW_BELOW = 0.85
"""Fields with lower confidence must be confirmed or corrected."""
_CORRECTED_BY = {"tracking_number": "order_ref", "weight_g": "packages", "piece": "packages", "pieces": "packages"}
"""The field of a request that replaces a field of a label. Parts of an address are replaced by the address."""
_USED = ("consignee", "sender", "tracking_number", "weight_g", "pieces")


def list_uncertain(confidences: Iterable[tuple[str, float]]) -> list[str]:
    """Return the names of order fields whose confidence is below the limit."""
    return [name for name, sure in confidences if sure < REVIEW_BELOW and name.partition(".")[0] in _USED]


def list_open_faults(
    reading: Mapping[str, Any], corrected: Collection[str], confirmed: Collection[str]
) -> list[FieldError]:
    """Return an error for each uncertain or missing field that is not settled.

    `corrected` are names of request fields, `confirmed` names of label fields.
    """
    return list(_open_faults(reading, corrected, confirmed))


def _open_faults(
    reading: Mapping[str, Any], corrected: Collection[str], confirmed: Collection[str]
) -> Iterator[FieldError]:
    sure = {field["name"]: field["confidence"] for field in reading.get("fields", ())}
    for name in list_uncertain(sure.items()):
        if name not in confirmed and _replaced_by(name) not in corrected:
            yield FieldError(name, "field.label_uncertain", {"name": name, "percent": round(sure[name] * 100)})
    for name in reading.get("missing", ()):
        if _replaced_by(name) not in corrected:
            yield FieldError(name, "field.missing")


def _replaced_by(name: str) -> str:
    return _CORRECTED_BY.get(name) or name.partition(".")[0]


NEEDED = ("consignee.name", "consignee.address", "consignee.city", "consignee.country", "tracking_number")
BARS, BARS_AND_CHECK, BARS_AND_TEXT = 0.9, 0.99, 0.97
"""Confidence of a number: from bars, with check digit, or confirmed by the text."""
CAPTIONED_TEXT, UNCAPTIONED_NAME = 0.9, 0.9
_LINEAR_OR_MATRIX = re.compile(r"[0-9A-Z][0-9A-Z .\-]{6,38}[0-9A-Z]")
_NUMBER_CAPTION = re.compile(
    r"\s*(?:track(?:ing)?\s*(?:#|no\.?|number|id)?|trk\s*#?|waybill|awb|pin|parcel\s*(?:no\.?|number)|sendungs(?:nummer|nr\.?)|"
    r"n\s*[°ºo]\s*de\s*(?:suivi|rep[eé]rage|colis|seguimiento|env[ií]o)|(?:num[eé]ro|n[uú]mero)\s*de\s*(?:suivi|seguimiento)|"
    r"运单号|運單號|快递单号|单号|單號|追踪号)\s*[:：#]?\s*(?P<number>[0-9A-Za-z][0-9A-Za-z .\-]{6,40})?",
    re.IGNORECASE,
)


class FoundField(Struct, frozen=True):
    """A field of a label.

    `source` is `barcode`, `text` or `both`; without a box it has no position of its own.
    """

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
    """Result of parsing a label.

    `confidence` is that of the least certain required field, 0 if one is missing.
    """

    fields: list[FoundField]
    addresses: list[AddressOnLabel]
    missing: list[str]
    confidence: float

    @property
    def needs_review(self) -> bool:
        """Return True if an order field is uncertain or missing."""
        uncertain = list_uncertain((field.name, field.confidence) for field in self.fields)
        return self.confidence < REVIEW_BELOW or bool(uncertain)


def parse_label(reading: PictureReading, home_country: str | None) -> ParsedLabel:
    """Parse a label. `home_country` applies to addresses without a country."""
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
    """Yield the facts of a Haulier label outside addresses; one reference only."""
    for fact in own.facts:
        if fact.name not in found:
            found.add(fact.name)
            confidence = round(fact.line.confidence * fact.certainty, 3)
            yield FoundField(fact.name, fact.value, confidence, "text", fact.line.box)


def _is_elsewhere(line: PictureLine) -> bool:
    """Return True if a line is no part of an address, such as a number or a carrier."""
    if _NUMBER_CAPTION.fullmatch(line.text) or states_fact(line.text):
        return True
    return known_number(line.text) is not None or is_name(line.text)


_Numbered = tuple[FoundField, str | None]


def _tracking_number(barcodes: Sequence[PictureBarcode], lines: Sequence[PictureLine]) -> _Numbered | None:
    """Return the likeliest tracking number.

    Order: carrier format in bars and text, in bars, in text, then any other.
    """
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
        if (known := repair_number(bare)) is not None:
            yield known, line


def _plain_number(barcodes: Sequence[PictureBarcode], lines: Sequence[PictureLine]) -> _Numbered | None:
    """Return a number of unknown format: from bars, or behind a caption."""
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
    """Return True for a container number (SSCC) beside the tracking number."""
    return bool(re.fullmatch(r"00[0-9]{18}", text))


def _captioned_numbers(lines: Sequence[PictureLine]) -> Iterator[tuple[str, PictureLine]]:
    """Yield numbers behind a tracking caption, or alone on the line below it."""
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
    """Yield the carrier by number format and names on the label."""
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
    """Return the parts of the most certain address of a role."""
    mine = [each for each in addresses if each.role is role]
    if not mine:
        return
    best = max(mine, key=lambda each: (each.certainty, len(each.values)))
    for name, value in best.values.items():
        lines = best.sources.get(name)
        if lines:
            confidence = min(line.confidence for line in lines) * best.certainty
            confidence *= (
                ODD_NAME if is_suspicious(name, value) or (name == "city" and lacks_region(best.values)) else 1
            )
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
    """Return the lines of a typed text, with full confidence.

    An empty line separates blocks.
    """
    lines = enumerate(line.strip() for line in text.splitlines())
    return tuple(
        PictureLine(line, 1.0, PictureBox(0, 0, 0, 0), 0.0, 20.0 * at, 10.0 * len(line), 20.0 * at + 16)
        for at, line in lines
        if line
    )


LABEL_READER_MISSING = declare_error("label_reader_missing", 503)
LABEL_NOT_READ_YET = declare_error("label_not_read_yet", 409)
LABEL_NEEDS_REVIEW = declare_error("label_needs_review", 409)


class LabelParseState(StrEnum):
    """State of a label scan.

    `needs_review`: a required field is missing or uncertain.
    """

    QUEUED = "queued"
    READ = "read"
    NEEDS_REVIEW = "needs_review"
    ACCEPTED = "accepted"
    FAILED = "failed"


class LabelEngine(StrEnum):
    """Source of a result: text and barcodes of a picture or PDF, barcodes, or text."""

    OCR = "ocr"
    PDF = "pdf"
    BARCODES = "barcodes"
    TEXT = "text"


PARTS_OF_ADDRESS = ("name", "address", "unit", "city", "region", "postal_code", "country", "phone", "email")
NEEDED_PARTS = ("name", "address", "city", "country")
MAX_VALUE = 120
"""Longer values are cut: no line of a label is longer."""
