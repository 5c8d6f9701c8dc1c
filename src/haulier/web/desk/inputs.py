"""Inputs of forms: typed texts as values of the interface, and back.

An input of a field kind is named `<field>~`; its text is read by its kind. The plain name carries the value itself, as
in links, hidden fields and saved views.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from haulier.kernel.operations.ids import REFERS_TO
from haulier.kernel.operations.resources import Resource, snake_case
from haulier.web.desk.forms import Field, FormSchema, value_kind
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.pickers import find_records, id_named, is_pickable, name_record
from haulier.web.i18n import NATIVE_LANGUAGE_NAMES
from haulier.web.kinds.examples import example_for
from haulier.web.kinds.names import code_of, name_of
from haulier.web.kinds.numbers import InputFault
from haulier.web.kinds.reading import beside_input, read_value, typed_text
from haulier.web.kinds.table import CHOSEN, MEASURED, MICRO, Kind, ValueKind
from haulier.web.kinds.writing import HOURS_OF_DAY, hour_name, weekday_name

TYPED = "~"
PICKERS_MAX = 5
"""Maximum number of lists of suggestions in a page, as each costs a read."""
_FILLERS = frozenset(
    re.findall(
        r"\w+", "a an and at by display for from id ids in is it its number of on or shown that the this to with"
    )
)
BLANK_PAIRS = 2
_CURRENCY_FIELD = re.compile(r"minor units of `(\w+)`")
_MACHINE_WORDS = re.compile(
    r"minor unit|millionth|hundredths of a percent|\bgrams?\b|\bmillimetres?\b|\bmetres?\b|cubic centi|cubic milli"
    r"|\bin seconds\b|\bin minutes\b|\bIANA\b|\bISO\b|WGS|^(The \w+'s id|IDs? of [\w ]+|Id of [\w ]+)\.$|\buser ID\b|user IDs"
    r"|JSON",
    re.IGNORECASE,
)
"""Descriptions for programs, which say nothing about an input with its unit or its names."""
Texts = Mapping[str, list[str]]


class TypedForm(Struct, frozen=True):
    """The texts of a form, read by the kinds of their fields."""

    texts: dict[str, list[str]]
    """Values of the interface by field."""
    faults: dict[str, str] = {}
    """Why a text could not be read, by field."""
    typed: dict[str, str] = {}
    """Texts that could not be read, by field."""


async def read_typed(desk: DeskRequest, form: FormSchema, texts: Texts) -> TypedForm:
    """Read the inputs of field kinds in a form."""
    plain = {name: given for name, given in texts.items() if TYPED not in name}
    typed: dict[str, dict[str, str]] = {}
    for name, given in texts.items():
        field, mark, part = name.partition(TYPED)
        if mark:
            typed.setdefault(field, {})[part] = given[-1] if given else ""
    read, faults = TypedForm(plain), dict[str, str]()
    for field in sorted(typed, key=lambda name: not name.endswith("currency")):
        given = typed[field]
        if any(plain.get(field, ())):  # chosen from a list
            continue
        try:
            plain[field] = await _read(desk, form, field, given, plain)
        except InputFault as fault:
            faults[field] = desk.say(fault.message_id, **fault.params)
            read.typed[field] = given.get("", "")
    return TypedForm(plain, faults, read.typed)


async def _read(desk: DeskRequest, form: FormSchema, field: str, given: Mapping[str, str], plain: Texts) -> list[str]:
    part = form.beside(field).get(field.rpartition(".")[2], {})
    schema = form.resolved(part)
    label, text = field.rpartition(".")[2], given.get("", "").strip()
    kind = value_kind(part, schema, label)
    many = schema.get("type") == "array"
    if kind and kind.kind is Kind.PAIRS:
        return [_read_pairs(desk, kind, given)]
    if not text:
        return [""]
    if kind and kind.kind in MEASURED:
        currency = _currency_beside(form, field, part, plain)
        return [str(read_value(kind, text, desk.habits, currency))]
    names = [line.strip() for line in text.splitlines() if line.strip()] if many else [text]
    if kind and kind.kind in CHOSEN:
        return ["\n".join(code_of(kind.kind, name, desk.habits) for name in names)]
    noun = noun_of(desk, label, schema.get(REFERS_TO, form.resolved(schema.get("items", {})).get(REFERS_TO)))
    if noun and is_pickable(desk, noun):
        return ["\n".join([await id_named(desk, noun, name) for name in names])]
    return [text]


def _read_pairs(desk: DeskRequest, kind: ValueKind, given: Mapping[str, str]) -> str:
    found: dict[str, Any] = {}
    for part, name in given.items():
        index = part.removeprefix("k.")
        text = given.get(f"v.{index}", "").strip()
        if part.startswith("k.") and name.strip() and text:
            known = code_of(Kind.COUNTRY, name, desk.habits) if kind.unit == MICRO else name.strip()
            found[known] = read_value(ValueKind(Kind.MONEY, kind.unit), text, desk.habits) if kind.unit else text
    return msgspec.json.encode(found).decode() if found else ""


def _currency_beside(form: FormSchema, field: str, part: Mapping[str, Any], texts: Texts) -> str | None:
    """Return the currency in the field beside an amount, or None without one."""
    told = _CURRENCY_FIELD.search(part.get("description", ""))
    beside = told[1] if told else "currency"
    given = texts.get(field.rpartition(".")[0] + ("." if "." in field else "") + beside, [""])[-1]
    return given.upper() if re.fullmatch("[A-Za-z]{3}", given) and beside in form.beside(field) else None


def noun_of(desk: DeskRequest, label: str, reference: str | None) -> Resource | None:
    """Return the noun that a field refers to: by its type, else by its name."""
    nouns = desk.places.nouns
    if reference:
        return nouns.by_key.get(reference)
    key = nouns.key_referred_to(label) if reference is None else None
    return nouns.by_key.get(key) if key else None


class Presenter:
    """Turns the fields of one form into inputs."""

    def __init__(self, desk: DeskRequest, typed: TypedForm | None = None, about: str = "") -> None:
        self._desk, self._typed, self._about = desk, typed or TypedForm({}), about
        self.suggestions: dict[str, dict[str, str]] = {}
        """Names by id, by noun."""

    async def present(self, fields: list[Field]) -> list[Field]:
        """Return the fields for people, with texts, units and suggestions."""
        shown = [field for field in fields if not (field.value_kind and field.value_kind.kind is Kind.DEVELOPER)]
        for field in shown:
            if field.fields:
                field.fields = await self.present(field.fields)
            else:
                await self._one(field, {each.label: each for each in fields})
        return shown

    async def _one(self, field: Field, beside: Mapping[str, Field]) -> None:
        kind = field.value_kind
        field.example = example_for(field.name, field.example, self._desk.habits)
        if kind and kind.kind in MEASURED and field.kind == "number":
            self._measure(field, kind, beside)
        elif kind and kind.kind in CHOSEN and field.kind in {"text", "lines"}:
            codes = field.text.split("\n") if field.text else []
            self._pick(field, str(kind.kind), [name_of(kind.kind, code, self._desk.habits) for code in codes])
            field.example = name_of(kind.kind, field.example, self._desk.habits) if field.example else ""
        elif kind and kind.kind is Kind.PAIRS and field.kind == "json":
            self._pairs(field, kind)
        elif kind and kind.kind is Kind.WEEKDAY:
            field.options = [str(number) for number in range(1, 8)]
            field.option_names = {each: weekday_name(int(each), self._desk.habits) or each for each in field.options}
            field.chosen, field.kind = field.text.split(), "choices" if field.kind == "lines" else "select"
        elif kind and kind.kind is Kind.HOUR:
            field.options = [str(number) for number in range(HOURS_OF_DAY)]
            field.option_names = {each: hour_name(int(each), self._desk.habits) or each for each in field.options}
            field.chosen, field.kind = field.text.split(), "select"
        elif kind and kind.kind is Kind.LANGUAGE and field.kind == "select":
            field.option_names = dict(NATIVE_LANGUAGE_NAMES)
        elif kind and kind.kind in _INPUT_TYPES and field.kind == "text":
            field.kind = _INPUT_TYPES[kind.kind]
        elif field.kind in {"number", "text", "lines"}:
            await self._reference(field)
        if _MACHINE_WORDS.search(field.hint) or _repeats_name(field, self._about):
            field.hint = ""

    def _measure(self, field: Field, kind: ValueKind, beside: Mapping[str, Field]) -> None:
        told = _CURRENCY_FIELD.search(field.hint)
        sibling = beside.get(told[1] if told else "currency")
        currency = None
        if sibling is not None and kind.kind is Kind.MONEY:
            codes = self._typed.texts.get(sibling.name, [])
            currency = next((code for code in (*codes, sibling.code) if re.fullmatch("[A-Z]{3}", code)), None)
        habits = self._desk.habits
        field.kind, field.input_name, field.limits = "measured", field.name + TYPED, {}
        field.unit = (
            beside_input(kind, habits, currency) if currency or sibling is None or kind.kind is not Kind.MONEY else ""
        )
        field.unit_first = kind.kind is Kind.MONEY
        number = _number(field.text)
        field.text = typed_text(kind, number, habits, currency) if number is not None else field.text
        example = _number(field.example)
        field.example = typed_text(kind, example, habits, currency) if example is not None else ""
        field.text = self._typed.typed.get(field.name, field.text)

    def _pick(self, field: Field, source: str, names: list[str]) -> None:
        field.chosen = field.text.split()
        field.picks_from, field.input_name, field.limits = source, field.name + TYPED, {}
        field.kind = "picked_lines" if field.kind == "lines" else "picked"
        field.text = self._typed.typed.get(field.name, "\n".join(names))

    def _pairs(self, field: Field, kind: ValueKind) -> None:
        held = _object(field.text)
        field.input_name = field.name + TYPED
        habits = self._desk.habits
        if kind.unit:
            money = ValueKind(Kind.MONEY, kind.unit)
            field.unit = beside_input(money, habits)
            held = {name: typed_text(money, value, habits) for name, value in held.items()}
        if kind.unit == MICRO:
            held = {name_of(Kind.COUNTRY, code, habits): value for code, value in held.items()}
        texts = {
            name: value if isinstance(value, str) else msgspec.json.encode(value).decode()
            for name, value in held.items()
        }
        field.kind = "named" if field.keys else "pairs"
        field.pairs = [(name, texts.get(name, "")) for name in field.keys] or [
            *texts.items(),
            *[("", "")] * BLANK_PAIRS,
        ]
        field.option_names = {name: self._key_name(name) for name in field.keys}

    def _key_name(self, key: str) -> str:
        label = self._desk.reader.label(key)
        return NATIVE_LANGUAGE_NAMES.get(key) or (self._desk.reader.choice(key) if label.english else label).text

    async def _reference(self, field: Field) -> None:
        noun = noun_of(self._desk, field.label, field.reference)
        if noun is None or not is_pickable(self._desk, noun):
            return
        if noun.key not in self.suggestions and len(self.suggestions) < PICKERS_MAX:
            self.suggestions[noun.key] = await find_records(self._desk, noun)
        known = self.suggestions.get(noun.key, {})
        names = [await name_record(self._desk, noun, id, known) for id in field.text.split()]
        field.refers_to = noun.key if known else None
        field.example = ""
        self._pick(field, noun.key, names)


_INPUT_TYPES = {Kind.CLOCK: "time", Kind.PHONE: "tel", Kind.EMAIL: "email"}


def _repeats_name(field: Field, about: str) -> bool:
    """Return True if a description only has words of the field and of its operation."""
    told = set(re.findall("[a-z]+", field.hint.lower())) - _FILLERS
    named = set(re.findall("[a-z]+", snake_case(f"{field.label}_{about}")))
    return all(any(word.startswith(part[:5]) for part in named) for word in told)


def _number(text: str) -> int | float | None:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return None


def _object(text: str) -> dict[str, Any]:
    try:
        held = msgspec.json.decode(text) if text else {}
    except msgspec.DecodeError:
        return {}
    return held if isinstance(held, dict) else {}


def leaves(fields: list[Field]) -> Iterator[Field]:
    """Yield the fields of a form that hold a value."""
    for field in fields:
        if field.fields:
            yield from leaves(field.fields)
        else:
            yield field
