"""The published API follows `docs/reference/conventions.md` and its exceptions."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from tests.docs.blocks import ROOT
from tests.docs.published_api import Field, Published, Schema, document, fields, operations, resolve, variants

PAGE = (ROOT / "docs/reference/conventions.md").read_text()
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?")
SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
CODE = re.compile(r"[a-z0-9][a-z0-9_.:-]*|[A-Z]+_[A-Z_]+|[A-Z]{4,}")
"""Lower case; upper case for statuses."""
STANDARD_CODE = re.compile(r"[A-Z]{3}|I{1,2}|zh-Han[st]|\w+/[\w.+-]+|Feature(Collection)?|PUT|GET")
"""Incoterms, packing groups (UN), languages, media types, GeoJSON types and HTTP methods."""
MOMENT, DAY, WHOLE = {("string", "date-time")}, {("string", "date")}, {("integer", "")}
WINDOW = {"window_start", "window_end"}
DAY_NAME = re.compile(r".+_(date|on|(?<!per_)day)|day|date_(from|to)")
BOUND = re.compile(r"(.*_)?(from|to|until|since|before|after|by|start|end)")
AMOUNT = re.compile(r"(.*_)?(price|cost|fee|value)|.+_(amount|due)")
PAGED = {"page", "per_page"}, {"total", "total_is_floor", "page", "per_page"}
BY_CURSOR = [({"cursor", size}, {"next_cursor"}) for size in ("per_page", "limit")]
PAGINATION = {"page", "per_page", "cursor", "limit"}
PAGE_MEMBERS = {"total", "total_is_floor", "page", "per_page", "next_cursor"}
Rule = Callable[[], Iterator[str]]


def find_path_segments() -> Iterator[str]:
    """Yield segments that are not in kebab-case."""
    for each in operations():
        yield from (part for part in each.path.split("/")[1:] if part[0] != "{" and not KEBAB.fullmatch(part))


def find_collections() -> Iterator[str]:
    """Yield segments before an id that are not plural."""
    for each in operations():
        steps = each.path.split("/")
        yield from (name for name, key in pairwise(steps) if key in ids_of(each) and not plural(name))


def ids_of(operation: Published) -> set[str]:
    """Return the path parameters that are ids, with their braces."""
    found = operation.parameters("path").items()
    return {f"{{{name}}}" for name, schema in found if Field(name, schema).types() == WHOLE}


def plural(segment: str) -> bool:
    """Return True for a plural noun, such as `points-of-interest`."""
    return segment.partition("-of-")[0].endswith("s")


def find_path_parameters() -> Iterator[str]:
    """Yield path parameters that are not in snake_case, or ids without `_id`."""
    for each in operations():
        for name in each.parameters("path"):
            if not SNAKE.fullmatch(name) or (f"{{{name}}}" in ids_of(each) and not name.endswith("_id")):
                yield f"{{{name}}}"


def find_field_names() -> Iterator[str]:
    """Yield fields and query parameters that are not in snake_case."""
    return (each.name for each in fields() if not SNAKE.fullmatch(each.name) and each.name not in path_parameters())


def path_parameters() -> set[str]:
    return {name for each in operations() for name in each.parameters("path")}


def find_enum_values(part: Any = None) -> Iterator[str]:
    """Yield enum values that are neither lower case nor a status."""
    part = document() if part is None else part
    for each in part.values() if isinstance(part, dict) else part:
        if isinstance(each, dict | list):
            yield from find_enum_values(each)
    values = part.get("enum") if isinstance(part, dict) else None
    if isinstance(values, list):
        yield from (value for value in values if isinstance(value, str) and not is_code(value))


def is_code(value: str) -> bool:
    return bool(CODE.fullmatch(value) or STANDARD_CODE.fullmatch(value))


def find_moments() -> Iterator[str]:
    """Yield moments with another name, and other types named like a moment."""
    return name_fields(lambda each: has_type(each, MOMENT, each.name.endswith("_at") or each.name in WINDOW))


def find_days() -> Iterator[str]:
    """Yield days with another name, and fields named like a day with another type."""
    return name_fields(lambda each: has_type(each, DAY, DAY_NAME.fullmatch(each.name) is not None))


def has_type(field: Field, expected: set[tuple[str, str]], named: bool) -> bool:
    """Return True if name and type of a field agree. Range limits may have any name."""
    is_type = field.types() == expected
    return named == is_type or (is_type and BOUND.fullmatch(field.name) is not None)


def name_fields(follows: Callable[[Field], bool]) -> Iterator[str]:
    """Yield fields that break a rule, with their schema if others of the name keep it."""
    found = [(each, follows(each)) for each in fields()]
    fine = {each.name for each, is_fine in found if is_fine}
    for each, is_fine in found:
        if not is_fine:
            yield f"{each.place}.{each.name}" if each.name in fine else each.name


def find_durations() -> Iterator[str]:
    """Yield durations whose unit is not abbreviated like in all others."""
    return (each.name for each in fields() if re.fullmatch(r".+_(seconds|minutes|mins|secs)", each.name))


def find_percentages() -> Iterator[str]:
    return (each.name for each in fields() if re.fullmatch(r"(.*_)?(pct|percentage)", each.name))


def find_amounts() -> Iterator[str]:
    """Yield amounts without a unit, and amounts in minor units that are not integers."""
    for each in fields():
        if AMOUNT.fullmatch(each.name) and each.types() == WHOLE:
            yield each.name
        if each.name.endswith(("_minor", "_micros", "_micro_usd")) and each.types() != WHOLE:
            yield each.name


def find_amounts_without_currency() -> Iterator[str]:
    """Yield amounts of responses without a currency in their record or around it."""
    for each in operations():
        for schema in each.response().values():
            yield from amounts_below(schema, ())


def amounts_below(schema: Schema, within: tuple[str, ...]) -> Iterator[str]:
    """Yield amounts below a schema that no currency is beside."""
    name = schema.get("$ref", "")
    if name and name in within:
        return
    for part in variants(schema):
        members = part.get("properties", {})
        if any(member.endswith("currency") for member in members):
            continue
        yield from (member for member in members if member.endswith("_minor"))
        below = [*members.values(), part.get("items"), part.get("additionalProperties")]
        for each in below:
            if isinstance(each, dict):
                yield from amounts_below(each, (*within, name) if name else within)


def find_sizes() -> Iterator[str]:
    """Yield sizes without a unit and coordinates with another name."""
    size = re.compile(r"(.*_)?(weight|length|width|height|distance|volume|radius|duration|latitude|longitude|lon)")
    return (each.name for each in fields() if size.fullmatch(each.name))


def find_ids() -> Iterator[str]:
    """Yield ids that are not integers."""
    return name_fields(is_whole_id)


def is_whole_id(field: Field) -> bool:
    if field.name.endswith("_ids"):
        return {kind for part in variants(field.schema) for kind in items_of(part)} == WHOLE
    return not (field.name == "id" or field.name.endswith("_id")) or field.types() == WHOLE


def items_of(schema: Schema) -> set[tuple[str, str]]:
    return Field("", schema["items"]).types() if "items" in schema else set()


def find_envelopes() -> Iterator[str]:
    """Yield operations whose JSON response has no `result`."""
    for each in operations():
        schema = each.response().get("application/json")
        if schema is not None and "result" not in resolve(schema).get("properties", {}):
            yield each.name


def find_lists() -> Iterator[str]:
    """Yield operations with an incomplete pagination. Searches only take `limit`."""
    for each in operations():
        asked = PAGINATION & each.parameters("query").keys()
        if "text/event-stream" in each.response() or (asked == {"limit"} and each.role != "list"):
            continue
        told = PAGE_MEMBERS & resolve(each.response().get("application/json", {})).get("properties", {}).keys()
        combined = (PAGED[0] | {"cursor"}, PAGED[1] | {"next_cursor"})
        if asked and (asked, told) not in (PAGED, combined, *BY_CURSOR):
            yield each.name


def find_unpaged_lists() -> Iterator[str]:
    """Yield lists without pagination."""
    for each in operations():
        if each.role == "list" and not PAGINATION & each.parameters("query").keys() and is_json_list(each):
            yield each.name


def is_json_list(operation: Published) -> bool:
    members = resolve(operation.response().get("application/json", {})).get("properties", {})
    return any(part.get("type") == "array" for part in members.values())


def find_page_sizes() -> Iterator[str]:
    """Yield operations whose `per_page` is not 1 to 200 with 50 as its default."""
    for each in operations():
        size = each.parameters("query").get("per_page")
        if size and (size["minimum"], size["maximum"], size["default"]) != (1, 200, 50):
            yield each.name


def find_searches() -> Iterator[str]:
    """Yield searches whose words are not in `search`."""
    return (
        each.name for each in operations() if {"q", "query", "text", "words"}.intersection(each.parameters("query"))
    )


def find_files() -> Iterator[str]:
    """Yield file fields with another name, and file responses without a type."""
    for each in fields():
        if "contentEncoding" in each.schema and each.name not in {"content", "document"}:
            yield each.name
    for operation in operations():
        for media_type, schema in operation.response().items():
            if "json" not in media_type and schema.get("type") != "string":
                yield operation.name


RULES: dict[str, Rule] = {
    "Path segment": find_path_segments,
    "Collection": find_collections,
    "Path parameter": find_path_parameters,
    "Field": find_field_names,
    "Enum value": find_enum_values,
    "Moment": find_moments,
    "Day": find_days,
    "Duration": find_durations,
    "Percentage": find_percentages,
    "Amount": find_amounts,
    "Currency": find_amounts_without_currency,
    "Size": find_sizes,
    "Id": find_ids,
    "Envelope": find_envelopes,
    "Pagination": find_lists,
    "Unpaged list": find_unpaged_lists,
    "Page size": find_page_sizes,
    "Search": find_searches,
    "File": find_files,
}


def listed_exceptions() -> dict[str, list[str]]:
    """Return the exceptions that the page lists, by rule."""
    found: dict[str, list[str]] = {}
    for heading in ("### Fixed by the interface or a standard", "### By design", "### Not fixed"):
        section = PAGE.partition(heading + "\n")[2].partition("\n#")[0]
        for line in section.splitlines():
            if match := re.match(r"\| ([A-Z][\w ]+) \| (.*`.*) \|$", line):
                found.setdefault(match[1], []).extend(re.findall(r"`([^`]+)`", match[2]))
    return found


@pytest.mark.parametrize("rule", RULES)
def test_the_api_follows_each_convention_except_for_listed_exceptions(rule: str) -> None:
    listed = listed_exceptions().get(rule, [])
    assert sorted(set(RULES[rule]())) == sorted(listed)


def test_every_listed_exception_belongs_to_a_rule() -> None:
    assert set(listed_exceptions()) <= set(RULES)


def test_vocabulary_names_are_used() -> None:
    names = {each.name for each in fields()} | {each.path for each in operations()}
    rows = PAGE.partition("### Synonyms\n")[2].splitlines()
    quoted = [re.findall(r"`([^`]+)`", row.split(" | ")[-1]) for row in rows if row.startswith("| ")][2:]
    assert len(quoted) >= 3
    assert {name.removeprefix("/api") for row in quoted for name in row} - names == set()
