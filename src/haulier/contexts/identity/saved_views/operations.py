"""Operations on saved views."""

from typing import Any

from haulier.contexts.identity.accounts.queries import require_client, require_user
from haulier.contexts.identity.saved_views import store
from haulier.contexts.identity.saved_views.contract import (
    ListSavedViews,
    SavedViewAnswer,
    SavedViewList,
    SavedViewRef,
    SaveView,
    SetDefaultView,
    UpdateSavedView,
)
from haulier.contexts.identity.saved_views.rules import (
    EVERYBODY,
    SAVED_VIEW_OF_ANOTHER,
    SAVED_VIEW_TAKEN,
    SAVED_VIEWS_FULL,
    VIEWS_MAX,
    faults_of,
)
from haulier.contexts.identity.saved_views.serializers import may_change, serialize_view
from haulier.contexts.identity.saved_views.store import SavedViewRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND
from haulier.kernel.operations.resources import resources_of

PATH = "/v1/saved-views"
VIEW_PATH = f"{PATH}/{{saved_view_id}}"


@reads(
    "list_saved_views",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", PATH), GraphQL("savedViews")),
)
async def list_saved_views(call: Call, request: ListSavedViews) -> SavedViewList:
    """List saved views.

    Your own, and those shared with all staff.
    """
    rows, total = await store.list_view_rows(
        call.work,
        _actor(call),
        noun=request.noun,
        text=request.search,
        limit=request.per_page,
        offset=request.offset,
    )
    found = [serialize_view(call, row) for row in rows]
    return SavedViewList(total=total, page=request.page, per_page=request.per_page, saved_views=found)


@writes(
    "save_view",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("POST", PATH, status=201), GraphQL("saveView")),
    errors=(SAVED_VIEW_TAKEN, SAVED_VIEWS_FULL),
)
async def save_view(call: Call, request: SaveView) -> SavedViewAnswer:
    """Save a view of a list.

    Views are visible to you or to all staff.
    """
    _require_known(call, request.noun, request.filters, request.columns)
    kept_for = EVERYBODY if request.for_everybody else _actor(call)
    await _require_room(call, request.noun, kept_for)
    try:
        view_id = await store.insert_view(
            call.work,
            **request.model_dump(exclude={"for_everybody"}),
            kept_for=kept_for,
            made_by=_actor(call),
            created_at=call.now,
            updated_at=call.now,
        )
    except UniqueConflict:
        raise SAVED_VIEW_TAKEN(name=request.name) from None
    return await _answer(call, view_id)


@writes(
    "update_saved_view",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("PATCH", VIEW_PATH), GraphQL("updateSavedView")),
    errors=(NOT_FOUND, SAVED_VIEW_OF_ANOTHER, SAVED_VIEW_TAKEN, SAVED_VIEWS_FULL),
)
async def update_saved_view(call: Call, request: UpdateSavedView) -> SavedViewAnswer:
    """Update a saved view.

    Renames it, replaces its filters and columns, or shares it. A shared view can be changed by its creator and by
    admins.
    """
    row = await _lock_changeable(call, request.saved_view_id)
    changed = request.model_dump(exclude={"saved_view_id", "for_everybody"}, exclude_none=True)
    _require_known(call, row.noun, request.filters or {}, request.columns or [])
    changed |= await _kept_for(call, row, request.for_everybody)
    try:
        await store.update_view(call.work, row.id, **changed, updated_at=call.now)
    except UniqueConflict:
        raise SAVED_VIEW_TAKEN(name=request.name or row.name) from None
    return await _answer(call, row.id)


@writes(
    "delete_saved_view",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("DELETE", VIEW_PATH), GraphQL("deleteSavedView")),
    errors=(NOT_FOUND, SAVED_VIEW_OF_ANOTHER),
)
async def delete_saved_view(call: Call, request: SavedViewRef) -> Done:
    """Delete a saved view.

    Lists that opened with it open without a view.
    """
    row = await _lock_changeable(call, request.saved_view_id)
    await store.delete_view(call.work, row.id)
    call.add_audit_subjects("saved_view", row.id)
    return Done(message=call.translate("saved_view_deleted"))


@writes(
    "set_default_view",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_WRITE},
    interfaces=(Rest("PUT", f"{VIEW_PATH}/default"), GraphQL("setDefaultView")),
    errors=(NOT_FOUND,),
)
async def set_default_view(call: Call, request: SetDefaultView) -> SavedViewAnswer:
    """Set or unset your default view.

    The list then opens with the view, or without one. It affects only you.
    """
    row = await _lock(call, request.saved_view_id)
    if request.first:
        await store.choose_first(call.work, row, _actor(call))
    else:
        await store.delete_first(call.work, row.id, _actor(call))
    return await _answer(call, row.id)


def _actor(call: Call) -> int:
    assert call.actor is not None  # staff have a session
    return call.actor


def _require_known(call: Call, noun_key: str, filters: dict[str, list[str]], columns: list[str]) -> None:
    noun = resources_of(call.app.registry).by_key.get(noun_key)
    if faults := [*faults_of(noun, filters, columns)]:
        raise INVALID_REQUEST.for_fields(*faults)


async def _require_room(call: Call, noun_key: str, kept_for: int) -> None:
    # Locked: two concurrent saves at the limit would both count one too few.
    if kept_for == EVERYBODY:
        await require_client(call.work, call.client_id, lock=True)
    else:
        await require_user(call.work, kept_for, lock=True)
    if await store.count_views(call.work, noun_key, kept_for) >= VIEWS_MAX:
        raise SAVED_VIEWS_FULL(most=VIEWS_MAX)


async def _kept_for(call: Call, row: SavedViewRow, for_everybody: bool | None) -> dict[str, Any]:
    """Return the owner columns of a changed view; empty if unchanged."""
    if for_everybody is None or for_everybody == (row.kept_for == EVERYBODY):
        return {}
    kept_for = EVERYBODY if for_everybody else _actor(call)
    await _require_room(call, row.noun, kept_for)
    if for_everybody:
        return {"kept_for": kept_for}
    await store.delete_first_of_others(call.work, row.id, kept_for)
    return {"kept_for": kept_for, "made_by": kept_for}


async def _lock(call: Call, view_id: int) -> SavedViewRow:
    row = await store.get_view(call.work, view_id, _actor(call), lock=True)
    if row is None:
        raise NOT_FOUND()
    return row


async def _lock_changeable(call: Call, view_id: int) -> SavedViewRow:
    row = await _lock(call, view_id)
    if not may_change(call, row):
        raise SAVED_VIEW_OF_ANOTHER()
    return row


async def _answer(call: Call, view_id: int) -> SavedViewAnswer:
    call.add_audit_subjects("saved_view", view_id)
    row = await store.get_view(call.work, view_id, _actor(call))
    if row is None:
        raise NOT_FOUND()
    return SavedViewAnswer(saved_view=serialize_view(call, row))
