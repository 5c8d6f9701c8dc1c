"""How many views there may be, who changes them, and what of them no longer exists."""

from collections.abc import Iterable, Iterator

from haulier.kernel.operations.errors import FieldError, declare_error
from haulier.kernel.operations.nouns import Noun

NAME_MAX = 60
NOUN_MAX = 80
VIEWS_MAX = 20
"""So many views of one list somebody keeps, and so many everybody."""
EVERYBODY = 0
"""For whom a view is kept that is everybody's. Why no null: of two nulls a unique key holds none to be the other."""
NEVER_KEPT = frozenset({"page", "per_page", "cursor"})
"""Where one is in a list, which is no part of a view."""

SAVED_VIEW_TAKEN = declare_error("saved_view_taken", 409)
SAVED_VIEWS_FULL = declare_error("saved_views_full", 409)
SAVED_VIEW_OF_ANOTHER = declare_error("saved_view_of_another", 403)


def filters_of(noun: Noun) -> frozenset[str]:
    """The filters that a list has."""
    named = {about.alias or name for name, about in noun.listing.request.model_fields.items()}
    return frozenset(named) - NEVER_KEPT


def gone_from(noun: Noun | None, list_name: str, filters: Iterable[str], columns: Iterable[str]) -> list[str]:
    """What a view names and its list has no more; the list itself where that is gone."""
    if noun is None:
        return [list_name]
    known, shown = filters_of(noun), noun.row.__struct_fields__
    lost = [name for name in filters if name.partition(".")[0] not in known]
    return [*lost, *(name for name in columns if name not in shown and name not in lost)]


def faults_of(noun: Noun | None, filters: Iterable[str], columns: Iterable[str]) -> Iterator[FieldError]:
    """What is wrong with a view that somebody wants to keep."""
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
