"""Validate answers against the schemas that their tools were listed with."""

import json
from functools import cache
from typing import Any

import jsonschema_rs


def assert_fits_schema(document: Any, schema: Any) -> None:
    """Raise `jsonschema_rs.ValidationError` if a document violates its schema."""
    _validator(json.dumps(schema, sort_keys=True)).validate(document)


@cache
def _validator(schema: str) -> Any:
    """Return the validator of a schema, which is itself validated once."""
    return jsonschema_rs.Draft202012Validator(json.loads(schema))
