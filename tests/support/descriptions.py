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


def with_parameters(document: dict[str, Any]) -> dict[str, Any]:
    """Return the paths of a description with its shared parameters."""
    shared = document["components"]["parameters"]
    return {
        path: {
            method: {
                **entry,
                "parameters": [
                    shared[part["$ref"].rpartition("/")[2]] if "$ref" in part else part for part in entry["parameters"]
                ],
            }
            for method, entry in entries.items()
        }
        for path, entries in document["paths"].items()
    }
