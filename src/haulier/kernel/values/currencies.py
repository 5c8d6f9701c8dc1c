"""The currency of a request: one that some country uses now (ISO 4217)."""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from haulier.kernel.values.money import currency_decimals


def validate_currency(code: str) -> str:
    """The code, when it is a currency that some country uses now. Raises `ValueError` with a code."""
    try:
        currency_decimals(code)
    except ValueError:
        raise PydanticCustomError("unknown_currency", "{given} is not known", {"given": code}) from None
    return code


Currency = Annotated[
    str, Field(min_length=3, max_length=3, pattern="^[A-Z]{3}$", examples=["CAD"]), AfterValidator(validate_currency)
]
