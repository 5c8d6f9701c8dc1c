"""Lists of records: filters, chosen rows, and the record beside the list."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup
from msgspec import Struct
from starlette.responses import RedirectResponse, Response

from haulier.kernel.operations.resources import Resource, snake_case
from haulier.kernel.pipeline.result import OperationResult
from haulier.web.desk.empty_lists import empty_list
from haulier.web.desk.forms import Field, FormSchema, form_of
from haulier.web.desk.inputs import Presenter, TypedForm, leaves
from haulier.web.desk.pages import (
    DRAWER_FIELD,
    MORE_FILTERS,
    PAGING_FIELDS,
    UNFILTERED,
    DeskRequest,
    Op,
    TableView,
    field_faults,
    not_found,
    plain_answer,
)
from haulier.web.desk.pickers import load_names
from haulier.web.desk.places import act_address, acts_on, address_of, declarations
from haulier.web.desk.reader import possible_columns
from haulier.web.desk.undo import undo_in_address

FIRST_FILTERS = ("search", "status", "state", "day", "date_from")


class Chip(Struct, frozen=True):
    """An active filter, with the address of the list without it."""

    name: str
    label: str
    text: str
    without: str


class ListRead(Struct, frozen=True):
    """The records of a noun that fit the filters of an address, as a table."""

    values: dict[str, Any]
    result: OperationResult
    answer: dict[str, Any]
    table: TableView
    many: list[Op]
    """Bulk actions of a noun."""


async def read_list(desk: DeskRequest, noun: Resource) -> ListRead:
    """Ask for the records that the address names."""
    values = form_of(noun.listing.request).values(desk.texts, desk.session.time_zone)
    result = await desk.call(noun.listing, values)
    answer = plain_answer(result) if result.error is None else {}
    asked = desk.texts.get("columns") or declarations().columns.get(noun.key, [])
    table = TableView(
        noun=noun,
        columns=desk.reader.columns(noun.row, asked),
        rows=answer.get(noun.rows) or [],
        within={name: values.get(name) for name in noun.parents},
    )
    await load_names(desk, table.rows, table.columns)
    acts = (*_with_ticked(desk, noun), *noun.bulk, *_acts_on_several(desk, noun)) if noun.ids else ()
    return ListRead(values, result, answer, table, [act for act in acts if desk.may(act)])


async def list_page(
    desk: DeskRequest,
    *,
    views: Struct | None = None,
    refused: str | None = None,
    status_code: int | None = None,
    typed: TypedForm | None = None,
) -> Response:
    """Render the records of a noun that match the filters, with saved views."""
    noun = desk.places.nouns.by_key.get(desk.request.path_params["noun"])
    if noun is None or not desk.may(noun.listing):
        return not_found(desk)
    form, listed = form_of(noun.listing.request), await read_list(desk, noun)
    values, result, answer = listed.values, listed.result, listed.answer
    rows = desk.part("desk_rows.html", table=listed.table, picks=bool(listed.many))
    filters = form.fields(
        _typed_again(desk.texts, values), desk.session.time_zone, without=PAGING_FIELDS | desk.implied | {*noun.parents}
    )
    first = [each for each in filters if each.name in FIRST_FILTERS][:3] or filters[:2]
    rest = [each for each in filters if each not in first]
    more, presenter = wants_all_filters(desk, rest, result), Presenter(desk, typed)
    filters = [*await presenter.present(first), *(await presenter.present(rest) if more else [])]
    return desk.page(
        "desk_list.html",
        status_code=status_code or result.status,
        noun=noun,
        views=views,
        refused=refused,
        table=listed.table,
        more=more,
        pickers=presenter.suggestions,
        chips=filter_chips(desk, filters, noun),
        rows=Markup(rows),
        live=desk.live_address(noun.listing, rows) if not result.error and listed.table.told_apart else None,
        possible=list(possible_columns(noun.row)),
        answer=answer,
        filters=(filters[: len(first)], filters[len(first) :] if more else rest),
        empty=empty_list(desk, noun, values),
        faults={**field_faults(result), **(typed.faults if typed else {})},
        problem=result.error["message"] if result.error else None,
        makes=[act for act in noun.makes if desk.may(act)],
        many=listed.many,
        where=urlencode({name: texts for name, texts in desk.texts.items() if name not in UNFILTERED}, doseq=True),
        ticked=declarations().with_ticked.get(noun.key, {}),
        values=values,
        exports=_export_formats(form),
        drawer=_drawer(desk, noun),
        done=desk.places.registry.get(desk.request.query_params.get("done", "")),
        undo=undo_in_address(desk),
    )


def filter_chips(desk: DeskRequest, filters: list[Field], noun: Resource) -> list[Chip]:
    """Return the active filters of a list by name."""
    found: list[Chip] = []
    for field in leaves(filters):
        if not (field.text or field.chosen):
            continue
        names = [field.option_names.get(each) or desk.reader.choice(each, noun).text for each in field.chosen]
        if field.kind == "boolean":
            names = [desk.say("page.yes" if "true" in field.chosen else "page.no")]
        shown = field.option_names.get(field.text) or field.text.replace("\n", ", ") or ", ".join(names)
        if field.kind in {"date", "datetime-local"}:
            shown = desk.formatter.tree(field.text).text
        without = desk.link_with(**{field.name: None, "cursor": None, "page": None})
        found.append(
            Chip(field.name, desk.reader.label(field.label, noun).text, f"{shown} {field.unit}".strip(), without)
        )
    return found


def _drawer(desk: DeskRequest, noun: Resource) -> dict[str, str] | None:
    """The record beside the list: a link to it, which scripts open in place."""
    id = desk.request.query_params.get(DRAWER_FIELD)
    within = [desk.request.query_params.get(name) for name in noun.parents]
    if not id or not noun.ids or None in within:
        return None
    address = address_of(noun, [quote(str(each), safe="") for each in (*within, id)])
    return {"id": id, "address": address, "title": desk.reader.record_title(noun, [id], {})}


def wants_all_filters(desk: DeskRequest, rest: list[Field], result: OperationResult) -> bool:
    """Return True if rare filters are shown: requested, in use or invalid."""
    used = any(each.text or each.chosen or each.fields for each in rest if each.name in desk.texts)
    return bool(used or field_faults(result) or {MORE_FILTERS, "columns"} & desk.texts.keys())


async def pick_page(desk: DeskRequest) -> Response:
    """Redirect from selected rows to the page of an action, as a list or one by one."""
    noun = desk.places.nouns.by_key.get(desk.request.path_params["noun"])
    act = desk.places.registry.get(desk.request.query_params.get("act", ""))
    picked = desk.request.query_params.getlist("pick")
    if noun is None or act is None or not noun.ids:
        return not_found(desk)
    field = noun.ids[-1]
    within = {name: desk.request.query_params[name] for name in noun.parents if name in desk.request.query_params}
    many = f"{snake_case(field)}s"
    filled = declarations().with_ticked.get(noun.key, {}).get(act.name)
    within |= declarations().prefilled.get(noun.key, {}).get(act.name, {})
    if "all" in desk.request.query_params:
        fitting = f"{noun.key}?{desk.request.query_params.get('where', '')}"
        return RedirectResponse(act_address(act, **within, **(filled or {}), all_of=fitting), 303)
    name, value = (many, "\n".join(picked)) if act in noun.bulk or filled is not None else (field, picked)
    return RedirectResponse(act_address(act, **within, **(filled or {}), **{name: value}), 303)


def _typed_again(texts: Mapping[str, list[str]], values: Mapping[str, Any]) -> dict[str, Any]:
    """Filters as they were typed, where a text stands for the value."""
    return {**{name: given[-1] for name, given in texts.items()}, **values}


def _export_formats(form: FormSchema) -> list[str]:
    """Return the file formats of a list."""
    part = form.resolved(form.properties.get("format", {}))
    return [each for each in part.get("enum", ()) if each != "json"]


def _acts_on_several(desk: DeskRequest, noun: Resource) -> list[Op]:
    """Return the actions on one record, first those that are declared for several."""
    first = declarations().prefilled.get(noun.key, {})
    return sorted(acts_on(noun, desk.session), key=lambda act: act.name not in first)


def _with_ticked(desk: DeskRequest, noun: Resource) -> list[Op]:
    """Return the actions for selected records besides the bulk actions."""
    named = (desk.places.registry.get(name) for name in declarations().with_ticked.get(noun.key, {}))
    return [operation for operation in named if operation]
