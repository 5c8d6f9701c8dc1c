"""Undo button after low-risk actions.

The registry names the inverse: another operation with the same fields (`reversed_by`), or the same operation with the
previous values. Undo runs through the page of that operation with all its checks. A session signature protects its
address, so that foreign links cannot show an undo button.
"""

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

from msgspec import Struct

from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, Risk
from haulier.kernel.operations.resources import path_fields, rest_interface
from haulier.kernel.values.sealing import SealedKind, has_tag, make_tag

if TYPE_CHECKING:
    from haulier.web.desk.acts import DeskAction
    from haulier.web.desk.pages import DeskRequest

Op = Operation[Any, Any]
NOT_REPEATED = frozenset({"expected_version", "reason"})
"""Values that describe the action itself and are not repeated."""


class Undo(Struct, frozen=True):
    """A form that takes an act back: the operation, and what it is given."""

    operation: Op
    fields: dict[str, list[str]]


def undoing(act: "DeskAction") -> Op | None:
    """Return the inverse operation if neither is risky and the caller may call it."""
    desk, operation = act.desk, act.operation
    named = operation.reversed_by
    interface = rest_interface(operation)
    replaces = (
        interface is not None and interface.method in {"PUT", "PATCH"} and desk.places.nouns.read_beside(operation)
    )
    found = desk.places.registry.get(named) if named else operation if replaces else None
    if found is None or not (_is_harmless(operation) and _is_harmless(found)):
        return None
    return found if desk.may(found) and found.scopes <= desk.session.scopes else None


async def before(act: "DeskAction") -> dict[str, Any]:
    """Return the current values that an action replaces.

    Empty if another operation reverts it.
    """
    if undoing(act) is not act.operation:
        return {}
    record = await act.record_now()
    return {name: record[name] for name in act.form.properties if name in record}


def undo_of(act: "DeskAction", known: Mapping[str, Any]) -> Undo | None:
    """Return the undo of an action, or None if it needs free text.

    Addresses must not hold free text.
    """
    found = undoing(act)
    if found is None:
        return None
    places = set(path_fields(found))
    if found is not act.operation:
        given = {name: texts for name, texts in act.texts.items() if name not in NOT_REPEATED}
        needed = {info.alias or name for name, info in found.request.model_fields.items() if info.is_required()}
        return Undo(found, given) if needed <= given.keys() else None
    changed = {name for name, value in act.values.items() if name not in places and known.get(name) != value}
    changed |= {name for name in act.emptied if known.get(name) is not None}
    changed -= NOT_REPEATED
    if not changed or not all(name in known and _is_plain(known[name]) for name in changed):
        return None
    needed = {name for name, info in found.request.model_fields.items() if info.is_required() and name in known}
    return Undo(
        found,
        {name: [_text(act.values[name] if name in places else known[name])] for name in changed | places | needed},
    )


def undo_query(desk: "DeskRequest", undo: Undo) -> str:
    """An undo for an address."""
    query = urlencode(undo.fields, doseq=True)
    tag = make_tag(SealedKind.DESK_UNDO, _marked(desk, undo.operation.name, query))
    return urlencode({"undo": f"{undo.operation.name} {tag} {query}"})


def undo_in_address(desk: "DeskRequest") -> Undo | None:
    """The undo that an address of this session holds."""
    parts = desk.request.query_params.get("undo", "").split(" ", 2)
    operation = desk.places.registry.get(parts[0])
    if len(parts) < 3 or operation is None:
        return None
    if not has_tag(SealedKind.DESK_UNDO, _marked(desk, parts[0], parts[2]), parts[1]):
        return None
    return Undo(operation, parse_qs(parts[2], keep_blank_values=True))


def _marked(desk: "DeskRequest", name: str, query: str) -> bytes:
    """Return what the tag of an undo covers: it holds for this session alone."""
    return f"{desk.session.csrf} {name} {query}".encode()


def _is_harmless(operation: Op) -> bool:
    return operation.effect is Effect.WRITE and not operation.confirm and operation.risk is not Risk.HIGH


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        try:
            date.fromisoformat(value[:10])
        except ValueError:
            return False
        return True
    return value is None or isinstance(value, (bool, int, float))


def _text(value: Any) -> str:
    return "" if value is None else ("true" if value else "false") if isinstance(value, bool) else str(value)
