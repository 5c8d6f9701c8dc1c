"""Saved views of lists: above the list, in the palette and as the default.

A view consists of filters and columns in the address. The address also names the view it came from, so that changes can
replace it.
"""

import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from starlette.responses import RedirectResponse, Response

from haulier.contexts.identity.saved_views.operations import (
    delete_saved_view,
    list_saved_views,
    save_view,
    set_default_view,
    update_saved_view,
)
from haulier.contexts.identity.saved_views.rules import VIEWS_MAX, filters_of
from haulier.kernel.operations.resources import Resource
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.customers import customers_page
from haulier.web.desk.forms import form_of
from haulier.web.desk.inputs import TYPED, read_typed
from haulier.web.desk.lists import list_page
from haulier.web.desk.pages import VIEW_FIELD, DeskRequest, list_problems, not_found, plain_answer
from haulier.web.desk.places import address_of

JOB_LISTS = {"customers": customers_page}
"""Lists with a designed page, which addresses with filters, columns or a view do not show."""
JOB_LIST_FIELDS = frozenset({"search", "page", "done", "outcome", "undo", "lang"})
AS_IT_IS = "all"
"""Asks in an address for a list without the view that it opens with."""


class ListViews(Struct, frozen=True, kw_only=True):
    """The views of a list, as they stand above it."""

    views: list[dict[str, Any]]
    chosen: dict[str, Any] | None
    """The one that the address came from."""
    changed: bool
    """Return True if the address differs from the chosen view."""
    as_it_is: str
    """The address of the list without any view."""
    once: str
    """Makes one view of a form that is sent twice."""

    @staticmethod
    def address(view: Mapping[str, Any]) -> str:
        """Where the list stands as a view shows it."""
        return view_address(view)


def view_address(view: Mapping[str, Any]) -> str:
    """The address of a list as a view shows it, without what its list has no more."""
    kept = {name: texts for name, texts in view["filters"].items() if name not in view["gone"]}
    columns = [name for name in view["columns"] if name not in view["gone"]]
    query = {**kept, **({"columns": columns} if columns else {}), VIEW_FIELD: view["id"]}
    return f"/desk/{view['noun']}?{urlencode(query, doseq=True)}"


async def views_of(desk: DeskRequest, noun: Resource) -> ListViews | None:
    """Return the views of a list; None for callers without views and for nested lists."""
    if not desk.may(list_saved_views) or noun.parents:
        return None
    answer = await desk.read(list_saved_views, {"noun": noun.key, "per_page": 2 * VIEWS_MAX}) or {}
    views = answer.get("saved_views") or []
    asked = desk.texts.get(VIEW_FIELD, [""])[-1]
    chosen = next((view for view in views if str(view["id"]) == asked), None)
    kept = _kept_now(desk, noun)
    first = any(view["first"] for view in views)
    return ListViews(
        views=views,
        chosen=chosen,
        changed=chosen is not None and kept != {"filters": chosen["filters"], "columns": chosen["columns"]},
        as_it_is=address_of(noun) + (f"?{VIEW_FIELD}={AS_IT_IS}" if first else ""),
        once=secrets.token_urlsafe(16),
    )


async def list_or_first_view(desk: DeskRequest) -> Response:
    """Render the records of a noun; without parameters, in the caller's default view."""
    noun = desk.places.nouns.by_key.get(desk.request.path_params["noun"])
    views = await views_of(desk, noun) if noun and desk.may(noun.listing) else None
    if noun and noun.key in JOB_LISTS and _is_plain(desk, views):
        return await JOB_LISTS[noun.key](desk)
    if noun and any(TYPED in name for name in desk.texts):
        read = await read_typed(desk, form_of(noun.listing.request), desk.texts)
        given = {name: texts for name, texts in read.texts.items() if any(texts)}
        return await list_page(desk, views=views, typed=read) if read.faults else _at(desk, given)
    first = next((view for view in views.views if view["first"]), None) if views else None
    if first and not desk.texts:
        return RedirectResponse(view_address(first), 303)
    return await list_page(desk, views=views)


def _is_plain(desk: DeskRequest, views: ListViews | None) -> bool:
    """Return True if an address asks for a list without filters, columns or a view."""
    first = any(view["first"] for view in views.views) if views else False
    return desk.texts.keys() <= JOB_LIST_FIELDS and bool(desk.texts or not first)


def _at(desk: DeskRequest, texts: Mapping[str, list[str]]) -> Response:
    """Redirect to a list whose address has values, not typed texts."""
    return RedirectResponse(desk.address_with(texts), 303)


async def submit_view(desk: DeskRequest) -> Response:
    """Keep what the address shows, replace or delete a view, or open the list with it."""
    noun = desk.places.nouns.by_key.get(desk.request.path_params["noun"])
    if noun is None or not desk.may(noun.listing) or not desk.may(save_view):
        return not_found(desk)
    form = {name: str(value) for name, value in (await desk.request.form()).items()}
    if not desk.session.is_genuine_form(desk.request, form):
        return await _refused(desk, noun, desk.say("sign_in.again"), 403)
    result = await _do(desk, noun, form)
    if result.error is not None:
        return await _refused(desk, noun, " ".join(list_problems(result)), result.status)
    view = plain_answer(result).get("saved_view")
    return RedirectResponse(view_address(view) if view else f"{address_of(noun)}?{VIEW_FIELD}={AS_IT_IS}", 303)


async def _do(desk: DeskRequest, noun: Resource, form: Mapping[str, str]) -> OperationResult:
    """Run the action of the pressed button."""
    asked = desk.texts.get(VIEW_FIELD, [""])[-1]
    step, one = form.get("step", ""), {"saved_view_id": int(asked) if asked.isdecimal() else asked}
    named = {"name": form.get("name", ""), "for_everybody": form.get("whose") == "everybody"}
    if step == "replace":
        return await desk.call(update_saved_view, {**one, **named, **_kept_now(desk, noun)})
    if step == "delete":
        return await desk.call(delete_saved_view, one)
    if step in {"first", "not_first"}:
        return await desk.call(set_default_view, {**one, "first": step == "first"})
    values = {"noun": noun.key, **named, **_kept_now(desk, noun)}
    return await desk.call(save_view, values, idempotency_key=form.get("once"))


async def _refused(desk: DeskRequest, noun: Resource, words: str, status: int) -> Response:
    return await list_page(desk, views=await views_of(desk, noun), refused=words, status_code=status)


def _kept_now(desk: DeskRequest, noun: Resource) -> dict[str, Any]:
    """Return the filters and columns in the address as a view stores them."""
    known = filters_of(noun)
    filters = {name: texts for name, texts in desk.texts.items() if name.partition(".")[0] in known}
    return {"filters": filters, "columns": desk.texts.get("columns", [])}
