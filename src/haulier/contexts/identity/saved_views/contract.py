"""What goes in and out of saved views."""

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
    Field(max_length=30, examples=[{"status": ["HOLD"], "text": ["Toronto"]}]),
]
Columns = Annotated[list[FieldPath], Field(max_length=40, examples=[["id", "name", "status"]])]


class ListSavedViews(PageRequest):
    """Which views to list."""

    noun: ListName | None = None
    """Only those of this list."""
    search: Annotated[str, Field(min_length=1, max_length=NAME_MAX, pattern=NO_NUL)] | None = None
    """A part of the name."""


class SaveView(Request):
    """A list as it is looked at, and the name under which it is kept."""

    noun: ListName
    """The list: `orders`, `drivers`, … as in its address on the desk."""
    name: ViewName
    """What people call the view. Nobody keeps two of one list under one name, and neither does the business."""
    filters: Filters = {}
    """The filters by name, each with its values as texts, as in the address of the list."""
    columns: Columns = []
    """The columns that are shown, in their order; none for those that are usual."""
    for_everybody: bool = False
    """True for everybody in the office, false for yourself."""


class UpdateSavedView(Request):
    """What to change; what is left out stays as it is."""

    saved_view_id: RecordId
    """The view's id."""
    name: ViewName | None = None
    """Another name."""
    filters: Filters | None = None
    """Other filters, instead of all that there were."""
    columns: Columns | None = None
    """Other columns, instead of those that there were."""
    for_everybody: bool | None = None
    """True to share it with everybody in the office, false to keep it for yourself alone."""


class SavedViewRef(Request):
    """Which view."""

    saved_view_id: RecordId
    """The view's id."""


class ChooseFirstView(Request):
    """A view, and whether its list opens with it for you."""

    saved_view_id: RecordId
    """The view's id."""
    first: bool = True
    """True to open the list with it, instead of with another; false to open the list as it is."""


class SavedView(Answer):
    """A list with filters and columns that is kept under a name."""

    id: int
    noun: Annotated[str, doc("The list that it is a view of.", ["orders"])]
    name: str
    filters: Annotated[dict[str, list[str]], doc("The filters by name, each with its values as texts.")]
    columns: Annotated[list[str], doc("The columns that are shown; empty for those that are usual.")]
    for_everybody: Annotated[bool, doc("True where everybody in the office has it, false where it is yours alone.")]
    first: Annotated[bool, doc("True where the list opens with it for you.")]
    changeable: Annotated[bool, doc("True where you may change and delete it: you made it, or you are an admin.")]
    gone: Annotated[
        list[str],
        doc("Filters and columns that its list has no more, or the list's own name; it is shown without them.", []),
    ]
    made_by: Annotated[int, doc("The id of the user who made it.")]
    created_at: datetime
    updated_at: datetime


class SavedViewAnswer(Answer):
    """One view."""

    result: bool = True
    saved_view: SavedView


class SavedViewList(PagedAnswer):
    """A page of views: by list, your own before those of everybody, by name."""

    saved_views: list[SavedView]
