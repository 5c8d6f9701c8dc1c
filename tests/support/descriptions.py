"""Generated descriptions, shared by all tests because each takes seconds."""

from functools import cache
from typing import Any

from haulier.api.rest.openapi import openapi_document
from haulier.app import registry


@cache
def openapi() -> dict[str, Any]:
    """Return the OpenAPI description of all operations. Do not modify it."""
    return openapi_document(registry())


def described_schemas() -> dict[str, Any]:
    """Return its schemas by name."""
    return openapi()["components"]["schemas"]
