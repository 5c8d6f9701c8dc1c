"""Parts of the OpenAPI document that repeat, stated once."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgspec.json import encode

Schema = dict[str, Any]
PARAMETER_REF = "#/components/parameters/{name}"
SHARED_FROM = 3
"""Uses from which a parameter is a component."""


def share_parameters(document: Schema) -> None:
    """Move parameters with three or more identical uses to `components.parameters`.

    A component has the name of its parameter. Of several variants with one name, the one used most is shared, so names
    stay the same when operations are added.
    """
    uses = Counter(_key(parameter) for parameters in _parameter_lists(document) for parameter in parameters)
    shared: dict[str, tuple[bytes, Schema]] = {}
    for parameters in _parameter_lists(document):
        for parameter in parameters:
            name, key = parameter["name"], _key(parameter)
            best = shared.get(name)
            if uses[key] >= SHARED_FROM and (best is None or (uses[key], key) > (uses[best[0]], best[0])):
                shared[name] = (key, parameter)
    for parameters in _parameter_lists(document):
        parameters[:] = [
            {"$ref": PARAMETER_REF.format(name=parameter["name"])}
            if shared.get(parameter["name"], (b"",))[0] == _key(parameter)
            else parameter
            for parameter in parameters
        ]
    document["components"]["parameters"] = {name: shared[name][1] for name in sorted(shared)}


def remove_default_titles(part: Any) -> None:
    """Remove titles that only repeat the name of their field or parameter."""
    if isinstance(part, dict):
        members: Schema = part
        for name, schema in members.get("properties", {}).items():
            _remove_title(name, schema)
        if isinstance(members.get("name"), str) and isinstance(members.get("schema"), dict):
            _remove_title(members["name"], members["schema"])
        for value in members.values():
            remove_default_titles(value)
    elif isinstance(part, list):
        parts: list[Any] = part
        for value in parts:
            remove_default_titles(value)


def _remove_title(name: str, schema: Any) -> None:
    title = schema.get("title") if isinstance(schema, dict) else None
    if isinstance(title, str) and title.replace(" ", "").lower() == name.replace("_", "").replace("-", "").lower():
        del schema["title"]


def _parameter_lists(document: Schema) -> Iterator[list[Schema]]:
    for path in document["paths"].values():
        for entry in path.values():
            yield entry["parameters"]


def _key(parameter: Schema) -> bytes:
    return encode(parameter, order="deterministic")
