"""Answers without their nulls: a host pays for each of them, and what is not there says the same."""

from typing import Any

from msgspec import UNSET, Struct


def without_nulls(answer: Any) -> Any:
    """A record as plain members without those that are null, at every depth. Documents that an answer carries stay whole.

    A document that was not made of our records (a schema, a timeline of another standard, the result of a query) may mean
    something by a null.
    """
    if isinstance(answer, Struct):
        named = zip(answer.__struct_fields__, answer.__struct_encode_fields__, strict=True)
        values = ((shown, getattr(answer, name)) for name, shown in named)
        return {shown: without_nulls(value) for shown, value in values if value is not None and value is not UNSET}
    return [without_nulls(each) for each in answer] if isinstance(answer, list | tuple) else answer
