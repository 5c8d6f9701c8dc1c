"""Answers without their nulls: a host pays for each of them, and what is not there says the same."""

from typing import Any

from msgspec import UNSET, Struct

from haulier.doors.mcp.lean_changes import is_record_change, lean_changes


def without_nulls(answer: Any, *, full_detail: bool = False) -> Any:
    """A record as plain members without those that are null, at every depth. Documents that an answer carries stay whole.

    A document that was not made of our records (a schema, a timeline of another standard, the result of a query) may mean
    something by a null. Changed records are told in few words, save in full detail.
    """
    if isinstance(answer, Struct):
        named = zip(answer.__struct_fields__, answer.__struct_encode_fields__, strict=True)
        values = ((shown, getattr(answer, name)) for name, shown in named)
        return {
            shown: without_nulls(value, full_detail=full_detail)
            for shown, value in values
            if value is not None and value is not UNSET
        }
    if not isinstance(answer, list | tuple):
        return answer
    if answer and not full_detail and all(map(is_record_change, answer)):
        return lean_changes(answer)
    return [without_nulls(each, full_detail=full_detail) for each in answer]
