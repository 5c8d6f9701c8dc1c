"""Rules of saved views: limits, permissions, and missing parts."""

from collections.abc import Iterable, Iterator

from haulier.kernel.operations.errors import FieldError, declare_error
from haulier.kernel.operations.resources import Resource

NAME_MAX = 60
NOUN_MAX = 80
VIEWS_MAX = 20
"""Maximum number of views per list, for each user and for shared ones."""
EVERYBODY = 0
"""Owner of shared views. Not null: a unique key treats two nulls as different."""
NEVER_KEPT = frozenset({"page", "per_page", "cursor"})
"""Paging parameters, which are not part of a view."""

SAVED_VIEW_TAKEN = declare_error("saved_view_taken", 409)
SAVED_VIEWS_FULL = declare_error("saved_views_full", 409)
SAVED_VIEW_OF_ANOTHER = declare_error("saved_view_of_another", 403)


def filters_of(noun: Resource) -> frozenset[str]:
    """Return the filters that a list has."""
    named = {about.alias or name for name, about in noun.listing.request.model_fields.items()}
    return frozenset(named) - NEVER_KEPT


def gone_from(noun: Resource | None, list_name: str, filters: Iterable[str], columns: Iterable[str]) -> list[str]:
    """Return the parts of a view that its list no longer has, or the list itself."""
    if noun is None:
        return [list_name]
    known, shown = filters_of(noun), noun.row.__struct_fields__
    lost = [name for name in filters if name.partition(".")[0] not in known]
    return [*lost, *(name for name in columns if name not in shown and name not in lost)]


def faults_of(noun: Resource | None, filters: Iterable[str], columns: Iterable[str]) -> Iterator[FieldError]:
    """Yield the validation errors of a view."""
    if noun is None:
        yield FieldError("noun", "field.list_unknown")
        return
    known, shown = filters_of(noun), noun.row.__struct_fields__
    for name in filters:
        if name.partition(".")[0] not in known:
            yield FieldError(f"filters.{name}", "field.filter_unknown")
    for index, name in enumerate(columns):
        if name not in shown:
            yield FieldError(f"columns.{index}", "field.column_unknown")
