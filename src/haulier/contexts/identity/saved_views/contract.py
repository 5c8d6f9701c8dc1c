"""Request and response models for saved views."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from haulier.contexts.identity.saved_views.rules import NAME_MAX, NOUN_MAX
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, OneLine, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

ListName = Annotated[str, Field(min_length=1, max_length=NOUN_MAX, pattern="^[a-z0-9-]+$", examples=["orders"])]
ViewName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_MAX, pattern=NO_NUL),
    Field(examples=["On hold in Toronto"]),
    OneLine,
]
FieldPath = Annotated[str, Field(min_length=1, max_length=80, pattern="^[A-Za-z0-9._-]+$")]
FilterText = Annotated[str, Field(min_length=1, max_length=200, pattern=NO_NUL)]
Filters = Annotated[
    dict[FieldPath, Annotated[list[FilterText], Field(min_length=1, max_length=50)]],
    Field(max_length=30, examples=[{"status": ["HOLD"], "search": ["Toronto"]}]),
]
Columns = Annotated[list[FieldPath], Field(max_length=40, examples=[["id", "name", "status"]])]


class ListSavedViews(PageRequest):
    """Filters for saved views."""

    noun: ListName | None = None
    """Filter by list."""
    search: Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=NO_NUL)] | None = None
    """A part of the name."""


class SaveView(Request):
    """A list view to save under a name."""

    noun: ListName
    """The list: `orders`, `drivers`, … as in its address on the desk."""
    name: ViewName
    """Name of the view. Unique per list among your own views, and among shared ones."""
    filters: Filters = {}
    """The filters by name, each with its values as texts, as in the address of the list."""
    columns: Columns = []
    """Columns in display order. Empty: the default columns."""
    for_everybody: bool = False
    """If true, share it with all staff; if false, it is only yours."""


class UpdateSavedView(Request):
    """Fields of a view to change. Omitted fields keep their values."""

    saved_view_id: RecordId
    """ID of the view."""
    name: ViewName | None = None
    """Another name."""
    filters: Filters | None = None
    """New filters. Replaces the current ones."""
    columns: Columns | None = None
    """New columns. Replaces the current ones."""
    for_everybody: bool | None = None
    """If true, share it with all staff; if false, it is only yours."""


class SavedViewRef(Request):
    """Reference to a saved view."""

    saved_view_id: RecordId
    """ID of the view."""


class SetDefaultView(Request):
    """A view to set as default of its list, or to unset."""

    saved_view_id: RecordId
    """ID of the view."""
    first: bool = True
    """If true, open the list with this view; if false, open the list without a view."""


class SavedView(Answer):
    """A saved list view."""

    id: int
    noun: Annotated[str, doc("List of the view.", ["orders"])]
    name: str
    filters: Annotated[dict[str, list[str]], doc("Filters by name, each with its values as texts.")]
    columns: Annotated[list[str], doc("Visible columns; empty for the usual ones.")]
    for_everybody: Annotated[bool, doc("True if all staff have it, false if it is only yours.")]
    first: Annotated[bool, doc("True if the list opens with it for you.")]
    changeable: Annotated[bool, doc("True if you can change and delete it, as its creator or an admin.")]
    gone: Annotated[
        list[str],
        doc("Filters and columns that the list no longer has, or the list's own name; they are ignored.", []),
    ]
    made_by: Annotated[int, doc("User who created it.")]
    created_at: datetime
    updated_at: datetime


class SavedViewAnswer(Answer):
    """One view."""

    result: bool = True
    saved_view: SavedView


class SavedViewList(PagedAnswer):
    """A page of views by list; your own before shared ones, by name."""

    saved_views: list[SavedView]
