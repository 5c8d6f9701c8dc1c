"""What the product says of itself, made once for all tests of a process: each takes seconds."""

from functools import cache
from typing import Any

from haulier.api.rest.openapi import openapi_document
from haulier.app import registry


@cache
def openapi() -> dict[str, Any]:
    """The OpenAPI description of all operations. Not to be changed."""
    return openapi_document(registry())


def described_schemas() -> dict[str, Any]:
    """Its schemas by their names."""
    return openapi()["components"]["schemas"]
