"""Forms built from the JSON Schema of a request, and their texts as JSON.

A field's name is its path, `consignee.city` or `packages.0.weight_g`, as in the errors of an operation. Forms validate
nothing: the operation validates the values.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from haulier.kernel.operations.declaration import DocumentRequest, Request
from haulier.kernel.operations.fields import OWN_FIELDS_OF
from haulier.kernel.operations.ids import REFERS_TO
from haulier.web.kinds.table import ValueKind, kind_of

Schema = Mapping[str, Any]
LONG_TEXT = 300
MAX_DEPTH = 4
OWN_LABEL = "x-haulier-label"
MAX_ROWS = 200
KINDS_OF_FORMAT = {
    "date": "date",
    "time": "time",
    "date-time": "datetime-local",
    "email": "email",
    "password": "password",
    "uri": "url",
    "text": "textarea",
}


class Field(Struct, kw_only=True):
    """A field of a form, a group of fields, or rows of groups."""

    name: str
    label: str
    kind: str
    """An input's type, `file` among them, or `select`, `textarea`, `lines`, `json`, `group` or `rows`."""
    hint: str = ""
    required: bool = False
    text: str = ""
    """Text of the field; base64 for files."""
    example: str = ""
    options: list[str] = []
    chosen: list[str] = []
    limits: dict[str, Any] = {}
    most_mb: int | None = None
    """The largest file that a field takes."""
    fields: list["Field"] = []
    """The fields of a group, or the groups of rows; the last row is empty."""
    refers_to: str | None = None
    reference: str | None = None
    """The noun that the type of an id names, empty if it is of no noun."""
    own_label: str = ""
    """Return the label of a custom field."""
    value_kind: ValueKind | None = None
    input_name: str = ""
    """Name of an input whose text is read by its kind; empty for the field's own name."""
    unit: str = ""
    """Unit or currency beside an input."""
    unit_first: bool = False
    picks_from: str = ""
    """Suggestions of a picker: a noun, or a kind such as `country`."""
    option_names: dict[str, str] = {}
    keys: list[str] = []
    """The names that an object can have, if they are fixed."""
    pairs: list[tuple[str, str]] = []
    """Names with values, the last ones empty."""
    code: str = ""
    """The value that a picker shows by name, or its usual value."""


class FormSchema:
    """The form of a request."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._definitions: Mapping[str, Schema] = self._root.get("$defs", {})
        self.properties: Mapping[str, Schema] = self._root.get("properties", {})
        self.takes_files = _mentions_file(self._root)
        self.takes_places = _mentions_place(self._root)
        self.takes_own_fields = _mentions_own_fields(self._root)

    def with_own_fields(self, own: Mapping[str, Sequence[Schema]]) -> "FormSchema":
        """Return the form with custom fields for each record type.

        Groups without fields are left out.
        """
        return FormSchema(_with_own_fields(self._root, own))

    def fields(self, values: Mapping[str, Any], zone: str, *, without: frozenset[str] = frozenset()) -> list[Field]:
        """The fields, filled with values; moments are shown in a time zone."""
        return _Builder(self._definitions, zone).members(self._root, "", values, without)

    def values(self, texts: Mapping[str, list[str]], zone: str) -> dict[str, Any]:
        """Return typed texts as JSON request values, without empty ones."""
        return _Reader(self._definitions, texts, ZoneInfo(zone)).members(self._root, "")

    def takes_null(self, name: str) -> bool:
        """Return True if a field accepts null."""
        part = self.properties.get(name, {})
        return any(each.get("type") == "null" for each in part.get("anyOf", part.get("oneOf", ())))

    def beside(self, name: str) -> Mapping[str, Schema]:
        """The members of the object that a field stands in, by the field's path."""
        part = self._root
        for step in name.split(".")[:-1]:
            part = self.resolved(part)
            part = part.get("items", {}) if step.isdecimal() else part.get("properties", {}).get(step, {})
        return self.resolved(part).get("properties", {})

    def resolved(self, part: Schema) -> Schema:
        """A part of the schema, without its references and its null."""
        return _resolve(part, self._definitions)


@cache
def form_of(request: type[Request]) -> FormSchema:
    """The form of a request, made once."""
    return FormSchema(_with_document(request) if issubclass(request, DocumentRequest) else request.model_json_schema())


class _Builder:
    def __init__(self, definitions: Mapping[str, Schema], zone: str) -> None:
        self._definitions, self._zone = definitions, ZoneInfo(zone)

    def members(
        self,
        schema: Schema,
        prefix: str,
        values: Mapping[str, Any],
        without: frozenset[str] = frozenset(),
        depth: int = 0,
        *,
        needed: bool = True,
    ) -> list[Field]:
        """The fields of an object; of one that may be left out whole, none must be given."""
        required = set(schema.get("required", ())) if needed else set[str]()
        found = [
            self.field(part, f"{prefix}{name}", name, values.get(name), name in required, depth)
            for name, part in schema.get("properties", {}).items()
            if name not in without
        ]
        for file in (each for each in found if each.kind == "file"):
            _describe_file(file, found)
        return found

    def field(self, part: Schema, path: str, name: str, value: Any, required: bool, depth: int) -> Field:
        schema = _resolve(part, self._definitions)
        kind = _kind_of(schema, self._definitions, depth)
        shown = Field(
            name=path, label=name, kind=kind, hint=part.get("description") or schema.get("description", ""),
            required=required, example=_example(part, schema), own_label=part.get(OWN_LABEL, ""),
            reference=schema.get(REFERS_TO, _resolve(schema.get("items", {}), self._definitions).get(REFERS_TO)),
            value_kind=value_kind(part, schema, name),
        )  # fmt: skip
        if kind == "group":
            inner = value if isinstance(value, dict) else {}
            needed = required or bool(inner) or OWN_FIELDS_OF in schema
            shown.fields = self.members(schema, f"{path}.", inner, depth=depth + 1, needed=needed)
        elif kind == "rows":
            shown.fields = self._rows(schema, path, value, depth)
        elif kind in {"select", "choices"}:
            shown.options = [str(each) for each in _choices(schema, self._definitions)]
            shown.chosen = [
                _plain_text(each) for each in (value if isinstance(value, list) else [value]) if each is not None
            ]
        elif kind == "file":
            most = schema.get("maxLength", 0) * 3 // 4
            shown.text, shown.most_mb = self._text(kind, value), most // 1024**2 or None
            shown.hint = "" if shown.most_mb else shown.hint  # the hint is about base64
        elif kind == "boolean":
            shown.chosen = [] if value is None else ["true" if value in (True, "true", "on") else "false"]
        else:
            shown.text = self._text(kind, value)
            shown.limits = _limits(schema, kind)
            shown.code = shown.text or shown.example
            shown.keys = schema.get("propertyNames", {}).get("enum", []) if kind == "json" else []
        return shown

    def _rows(self, schema: Schema, path: str, value: Any, depth: int) -> list[Field]:
        rows = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
        item = _resolve(schema["items"], self._definitions)
        return [
            Field(
                name=f"{path}.{index}",
                label=str(index + 1),
                kind="group",
                fields=self.members(item, f"{path}.{index}.", row, depth=depth + 1, needed=bool(row)),
            )
            for index, row in enumerate([*rows, {}])
        ]

    def _text(self, kind: str, value: Any) -> str:
        if value is None or value in ([], {}):
            return ""
        if kind == "lines" and isinstance(value, list):
            return "\n".join(", ".join(each) if isinstance(each, list) else _plain_text(each) for each in value)
        if kind == "datetime-local" and isinstance(value, str):
            return _in_zone(value, self._zone)
        return _plain_text(value) if isinstance(value, (str, int, float, bool)) else msgspec.json.encode(value).decode()


class _Reader:
    def __init__(self, definitions: Mapping[str, Schema], texts: Mapping[str, list[str]], zone: ZoneInfo) -> None:
        self._definitions, self._texts, self._zone = definitions, texts, zone

    def members(self, schema: Schema, prefix: str, depth: int = 0) -> dict[str, Any]:
        found = {
            name: self._value(part, f"{prefix}{name}", depth) for name, part in schema.get("properties", {}).items()
        }
        return {name: value for name, value in found.items() if value is not None}

    def _value(self, part: Schema, path: str, depth: int) -> Any:
        schema = _resolve(part, self._definitions)
        kind = _kind_of(schema, self._definitions, depth)
        if kind == "group":
            return self.members(schema, f"{path}.", depth + 1) or None
        if kind == "rows":
            item = _resolve(schema["items"], self._definitions)
            rows = [self.members(item, f"{path}.{index}.", depth + 1) for index in range(self._row_count(path))]
            return [row for row in rows if row] or None
        texts = [text.strip() for text in self._texts.get(path, ()) if text.strip()]
        if not texts:
            return None
        if kind == "lines":
            item = _resolve(schema.get("items", {}), self._definitions)
            return [_typed(line.strip(), item) for text in texts for line in text.splitlines() if line.strip()]
        if kind == "choices":
            return texts
        if kind == "json":
            return _json_or_text(texts[-1])
        if kind == "datetime-local":
            return _with_zone(texts[-1], self._zone)
        return _typed(texts[-1], schema)

    def _row_count(self, path: str) -> int:
        starts = (name[len(path) + 1 :].split(".")[0] for name in self._texts if name.startswith(f"{path}."))
        return min(MAX_ROWS, max((int(start) + 1 for start in starts if start.isdecimal()), default=0))


def _with_document(request: type[DocumentRequest]) -> Schema:
    """Return the form of a document: its text and the accepted text media types."""
    told = request.model_json_schema()
    types = [name for name in request.media_types if name.startswith("text/") or name.endswith(("json", "xml"))]
    members = {"content_type": {"enum": types}, "document": {"type": "string", "format": "text"}}
    return {
        **told,
        "properties": {**told.get("properties", {}), **members},
        "required": [*told.get("required", ()), *members],
    }


def value_kind(part: Schema, schema: Schema, name: str) -> ValueKind | None:
    """Return the kind of a field, or None for custom fields."""
    return None if OWN_LABEL in part else kind_of(name, schema.get("type", ""))


def _resolve(part: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """A schema without references, and without null where that is one of two."""
    while True:
        if reference := part.get("$ref"):
            part = {**definitions[reference.rpartition("/")[2]], **{k: v for k, v in part.items() if k != "$ref"}}
            continue
        options = [each for each in part.get("anyOf", part.get("oneOf", ())) if each.get("type") != "null"]
        if len(options) != 1:
            return part
        part = options[0]


def _kind_of(schema: Schema, definitions: Mapping[str, Schema], depth: int) -> str:
    kind = schema.get("type")
    if "enum" in schema or "const" in schema:
        return "select"
    if kind == "boolean":
        return "boolean"
    if kind == "object":
        return "group" if schema.get("properties") and depth < MAX_DEPTH else "json"
    if kind == "array":
        item = _resolve(schema.get("items", {}), definitions)
        if "enum" in item:
            return "choices"
        if item.get("type") == "object":
            return "rows" if item.get("properties") and depth < MAX_DEPTH else "json"
        inner = _resolve(item.get("items", {}), definitions)
        scalar = item.get("type") in {"string", "integer", "number"} or ("anyOf" in item and _is_scalar(item))
        return "lines" if scalar or inner.get("type") == "string" else "json"
    if kind in {"integer", "number"}:
        return "number"
    if schema.get("contentEncoding") == "base64":
        return "file"
    if kind == "string":
        known = KINDS_OF_FORMAT.get(schema.get("format", ""))
        return known or ("textarea" if schema.get("maxLength", 0) > LONG_TEXT else "text")
    return "text" if _is_scalar(schema) else "json"


def _describe_file(file: Field, beside: list[Field]) -> None:
    """Restrict the file chooser to accepted types and send the type of the file."""
    for field in beside:
        if field.label == "media_type" and field.options:
            file.limits, field.required = {"accept": ",".join(field.options)}, False
        elif field.label == "format" and field.options:
            file.limits = {"accept": ",".join(f".{ending}" for ending in field.options)}


def _mentions_file(part: Any) -> bool:
    """Return True if a schema contains a file."""
    if isinstance(part, Mapping):
        return part.get("contentEncoding") == "base64" or any(map(_mentions_file, part.values()))
    return isinstance(part, list) and any(map(_mentions_file, part))


def _mentions_place(part: Any) -> bool:
    """Return True if a schema asks for a place or an area."""
    if isinstance(part, Mapping):
        members = part.get("properties", {})
        return {"lat", "lng"} <= members.keys() or "geometry" in members or any(map(_mentions_place, part.values()))
    return isinstance(part, list) and any(map(_mentions_place, part))


def _mentions_own_fields(part: Any) -> bool:
    """Return True if a schema accepts custom fields."""
    if isinstance(part, Mapping):
        return OWN_FIELDS_OF in part or any(map(_mentions_own_fields, part.values()))
    return isinstance(part, list) and any(map(_mentions_own_fields, part))


def _with_own_fields(part: Any, own: Mapping[str, Sequence[Schema]]) -> Any:
    if isinstance(part, list):
        return [_with_own_fields(each, own) for each in part]
    if not isinstance(part, Mapping):
        return part
    if kind := part.get(OWN_FIELDS_OF):
        fields = own.get(kind, ())
        return {
            **{name: value for name, value in part.items() if name in ("type", "description")},
            OWN_FIELDS_OF: kind,
            "properties": {each["name"]: _own_field(each) for each in fields},
            "required": [each["name"] for each in fields if each["required"] and each.get("default") is None],
        }
    changed = {name: _with_own_fields(value, own) for name, value in part.items()}
    if "properties" in changed:
        members = changed["properties"].items()
        changed["properties"] = {
            name: value for name, value in members if OWN_FIELDS_OF not in value or value["properties"]
        }
    return changed


def _own_field(told: Schema) -> Schema:
    """Return the schema of a custom field from `list_custom_fields`."""
    default = {"default": told["default"]} if told.get("default") is not None else {}
    return {**told["value_schema"], OWN_LABEL: told["label"], **default}


def _is_scalar(schema: Schema) -> bool:
    return all(each.get("type") not in {"object", "array"} and "$ref" not in each for each in schema.get("anyOf", ()))


def _choices(schema: Schema, definitions: Mapping[str, Schema]) -> list[Any]:
    if schema.get("type") == "array":
        schema = _resolve(schema["items"], definitions)
    return [each for each in schema.get("enum", [schema.get("const")]) if each is not None]


def _limits(schema: Schema, kind: str) -> dict[str, Any]:
    """The bounds that a browser can help with."""
    if kind == "number":
        step = {"step": 1 if schema.get("type") == "integer" else "any"}
        return {**step, **{to: schema[of] for of, to in (("minimum", "min"), ("maximum", "max")) if of in schema}}
    return {"maxlength": schema["maxLength"]} if kind in {"text", "textarea", "url"} and "maxLength" in schema else {}


def _example(part: Schema, schema: Schema) -> str:
    found = part.get("default", schema.get("default", ""))
    return _plain_text(found) if isinstance(found, (str, int, float)) and not isinstance(found, bool) else ""


def _typed(text: str, schema: Schema) -> Any:
    """Return a number if expected and readable, otherwise the text for validation."""
    if schema.get("type") == "array":
        return [part.strip() for part in text.split(",")]
    kind = schema.get("type") or next((each.get("type") for each in schema.get("anyOf", ())), "string")
    if kind == "boolean":
        return {"true": True, "on": True, "false": False}.get(text, text)
    if kind in {"integer", "number"}:
        try:
            return int(text) if text.lstrip("-").isdecimal() else float(text)
        except ValueError:
            return text
    return text


def _json_or_text(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _plain_text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _in_zone(moment: str, zone: ZoneInfo) -> str:
    """A moment as an input shows it: in the zone, without its name."""
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        return moment
    return (read.astimezone(zone) if read.tzinfo else read).strftime("%Y-%m-%dT%H:%M")


def _with_zone(text: str, zone: ZoneInfo) -> str:
    """Return an input value as a time with its offset."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return text
    return (read if read.tzinfo else read.replace(tzinfo=zone)).isoformat()
