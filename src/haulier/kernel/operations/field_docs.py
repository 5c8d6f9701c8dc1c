"""Descriptions of model fields, taken from the strings below them in the source.

Modules are parsed once and only when a schema is requested. pydantic's own mechanism parses the whole module for each
class, which took a third of the start of every process with 600 request models.
"""

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class DocumentedModel(BaseModel):
    """A model whose JSON Schema describes its fields by the strings below them."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /) -> JsonSchemaValue:
        """Return the schema with descriptions and without defaults of null."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for shown in properties.values():
            # A default of null adds nothing, and openapi-typescript makes such fields mandatory
            # (docs/decisions/interfaces.md).
            if shown.get("default", ...) is None:
                del shown["default"]
        for name, text in field_descriptions(cls).items():
            shown = properties.get(cls.model_fields[name].alias or name)
            if shown is not None:
                shown.setdefault("description", text)
        return schema


@cache
def field_descriptions(kind: type[BaseModel]) -> Mapping[str, str]:
    """Return the descriptions of fields, including inherited ones."""
    texts: dict[str, str] = {}
    for owner in reversed(kind.__mro__):
        texts |= _module_descriptions(owner.__module__).get(owner.__qualname__, {})
    described = {name: field.description or texts.get(name) for name, field in kind.model_fields.items()}
    return {name: text for name, text in described.items() if text}


@cache
def _module_descriptions(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the strings below fields by the qualified class names of a module."""
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None or not path.endswith(".py"):
        return {}
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return dict(_class_descriptions(tree.body, ""))


def _class_descriptions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            name = f"{prefix}{statement.name}"
            yield name, dict(_field_strings(statement.body))
            yield from _class_descriptions(statement.body, f"{name}.")


def _field_strings(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for statement, below in pairwise(body):
        match statement, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, inspect.cleandoc(text)
            case _:
                pass


def describe_field(kind: type[Any], name: str) -> str:
    """Return the description of a field, or an empty text."""
    return field_descriptions(kind).get(name, "")
