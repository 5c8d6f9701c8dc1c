"""A block of lines as an address: who, street, town, postal code, country."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.documents.pictures.contract import PictureLine
from haulier.contexts.places.geocoding.rules.formats import UnreadAddress, read_address
from haulier.contexts.places.geocoding.rules.words import find_country
from haulier.contexts.shipping.label_parsing.rules.layout import Block, Role

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
"""Where words were read as one: postal codes of five digits, British and Canadian ones, regions, and two countries."""
_CODE_OF_COUNTRY = re.compile(r"^(.*[0-9].*) ([A-Z]{2})$")
_DIGIT_IN_WORD = re.compile(r"[^\W\d_][01]|[01][^\W\d_]")
_DIGIT_AMONG_LETTERS = re.compile(r"[^\W\d_]{2}[01][^\W\d_]")
_WRITE_REGIONS = {"CA", "US"}
MAX_LINES = 8
NO_CODE, INFERRED_ROLE, ELSEWHERE, ODD_NAME = 0.75, 0.9, 0.9, 0.8
"""What is certain of an address without a postal code, of a role that only size and place tell, of a country that stands in
the other address, and of a name with a digit in a word."""


class ReadAddress(Struct):
    """An address, its parts by name, and which lines each was read from."""

    block: Block
    values: dict[str, str]
    sources: dict[str, list[PictureLine]]
    certainty: float
    role: Role | None = None

    @property
    def is_address(self) -> bool:
        """Whether it names a place that a parcel may be brought to."""
        return "city" in self.values and ("postal_code" in self.values or "address" in self.values)


def read_block(block: Block, home_country: str | None) -> ReadAddress | None:
    """A block as an address; None of one that is none."""
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
    _take_names(names, values, sources)
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


def is_odd(part: str, text: str) -> bool:
    """Whether a name, a town or a street may have been misread: `0liver` is likelier Oliver, and no street a `5t0ne Rd`."""
    odd = {"name": _DIGIT_IN_WORD, "city": _DIGIT_IN_WORD, "address": _DIGIT_AMONG_LETTERS}.get(part)
    return odd is not None and odd.search(text) is not None


def lacks_region(values: Mapping[str, str]) -> bool:
    """Whether an address of a country that writes regions has none: then `VANCOUVERBC` may stand where its town does."""
    return values.get("country") in _WRITE_REGIONS and "region" not in values


def _part_of_line(text: str) -> tuple[str, str] | None:
    """The part that a line is by itself; of an aside no part, None of a line of the name or the place."""
    if match := _EMAIL.search(text):
        return "email", match[0]
    if match := _PHONE.fullmatch(text.strip()):
        return "phone", match[1].strip()
    if _UNIT.fullmatch(text.strip()):
        return "unit", text.strip()
    return ("", "") if _ASIDE.fullmatch(text.strip()) else None


def _part_names(lines: Sequence[PictureLine]) -> tuple[list[PictureLine], list[PictureLine]]:
    """The lines of who, and those of where: a name is the first line, and a business a second one without digits."""
    count = 1
    if len(lines) > 3 and not _has_digit(lines[1].text) and _has_digit(lines[2].text):
        count = 2
    return list(lines[:count]), list(lines[count:])


def _has_digit(text: str) -> bool:
    return any(sign.isdigit() for sign in text)


def _take_names(names: Sequence[PictureLine], values: dict[str, str], sources: dict[str, list[PictureLine]]) -> None:
    for name, line in zip(("name", "company"), names, strict=False):
        values[name], sources[name] = line.text.strip(" ,;"), [line]


def _read_places(lines: Sequence[PictureLine], home: str | None) -> dict[str, str | None]:
    """The parts of where, as far as they are there; the country only where the label names it."""
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
    """The lines as they were meant: words apart, and the code of a country at the end on a line of its own."""
    *above, last = (_RUN_TOGETHER.sub(" ", line.text) for line in lines)
    ended = _CODE_OF_COUNTRY.match(last)
    return "\n".join([*above, ended[1], ended[2]] if ended and find_country(ended[2]) else [*above, last])


def _lines_with(lines: Sequence[PictureLine], value: str) -> list[PictureLine]:
    """The lines that a part was read from; all where it stands in none as it is, such as a country's code."""
    wanted = value.casefold().replace(" ", "")
    found = [line for line in lines if wanted in line.text.casefold().replace(" ", "")]
    return found[-1:] or list(lines[-1:])


def read_addresses(blocks: Sequence[Block], home_country: str | None) -> list[ReadAddress]:
    """All addresses of a label, each with whose it is, as far as that can be told.

    One without a country is at home, or where nobody knows home, in the country of another on the label.
    """
    first = _read_all(blocks, home_country)
    told = (each.values["country"] for each in first if "country" in each.values)
    fallback = home_country or next(told, None)
    found = _read_all(blocks, fallback) if fallback != home_country else first
    _give_roles(found)
    for each in found:
        if fallback:
            each.values.setdefault("country", fallback)
    return found


def _read_all(blocks: Sequence[Block], home_country: str | None) -> list[ReadAddress]:
    read = (read_block(block, home_country) for block in blocks)
    return [each for each in read if each is not None and each.is_address]


def _give_roles(found: Sequence[ReadAddress]) -> None:
    """Where no word tells whose an address is: the recipient's has the largest letters, the sender's stands first."""
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
