"""Answers held to the schemas that their tools were listed with. A schema is itself checked once, and not for every answer."""

import json
from functools import cache
from typing import Any

import jsonschema


def assert_fits_schema(document: Any, schema: Any) -> None:
    """Raises `jsonschema.ValidationError` for a document that does not fit its schema."""
    _validator(json.dumps(schema, sort_keys=True)).validate(document)


@cache
def _validator(schema: str) -> Any:
    jsonschema.Draft202012Validator.check_schema(read := json.loads(schema))
    return jsonschema.Draft202012Validator(read)
