"""Currency codes in requests (ISO 4217), limited to currencies in use."""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from haulier.kernel.values.money import currency_decimals


def validate_currency(code: str) -> str:
    """Return the code if a country uses the currency now.

    Raises `ValueError` with an error code.
    """
    try:
        currency_decimals(code)
    except ValueError:
        raise PydanticCustomError("unknown_currency", "{given} is not known", {"given": code}) from None
    return code


Currency = Annotated[
    str, Field(min_length=3, max_length=3, pattern="^[A-Z]{3}$", examples=["CAD"]), AfterValidator(validate_currency)
]
