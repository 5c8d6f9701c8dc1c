"""Self-contained ids, cursors and passes are sealed: changes are refused."""

import ast
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

from haulier.contexts.driver_app.day.rules import DaySnapshot, make_cursor, read_cursor
from haulier.contexts.lockers.devices.actions.credentials import make_pass, read_pass
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.pagination import make_cursor as make_list_cursor
from haulier.kernel.values.pagination import parse_cursor
from haulier.kernel.values.sealing import SealedKind, has_tag, make_tag, seal, unseal

SOURCE = Path(__file__).parents[2] / "src" / "haulier"
ENCODERS = frozenset({"urlsafe_b64encode", "urlsafe_b64decode"})
OTHER_ENCODINGS = {
    "kernel/values/sealing.py": "the helper itself",
    "adapters/vault.py": "names of keys",
    "contexts/oauth/grants/rules.py": "code challenges (RFC 7636)",
}
QUOTED = {"shipper": ADDRESS, "consignee": ADDRESS, "type": "P2P"}


def changed(text: str) -> list[str]:
    """Return every text with one changed character."""
    others = ["A" if character != "A" else "B" for character in text]
    return [text[:place] + other + text[place + 1 :] for place, other in enumerate(others)]


@pytest.mark.parametrize("kind", SealedKind)
def test_no_character_of_a_sealed_value_can_be_changed(kind: SealedKind) -> None:
    for content in (b"", b"1", b"12", b'{"client_id":1}'):
        text = seal(kind, content)
        assert unseal(kind, text) == content
        assert [one for one in changed(text) if unseal(kind, one) is not None] == []
        assert [other for other in SealedKind if other is not kind and unseal(other, text) is not None] == []


def test_a_seal_is_valid_only_for_its_kind_and_content() -> None:
    tag = make_tag(SealedKind.DESK_UNDO, b"close_depot 1")
    assert has_tag(SealedKind.DESK_UNDO, b"close_depot 1", tag)
    assert not has_tag(SealedKind.DESK_UNDO, b"close_depot 2", tag)
    assert not has_tag(SealedKind.CURSOR, b"close_depot 1", tag)
    assert [one for one in changed(tag) if has_tag(SealedKind.DESK_UNDO, b"close_depot 1", one)] == []


def test_a_tampered_cursor_is_refused_by_field() -> None:
    cursor = make_list_cursor(7)
    assert parse_cursor(cursor, tuple[int]) == (7,)
    for one in changed(cursor):
        with pytest.raises(OperationError) as refused:
            parse_cursor(one, tuple[int])
        assert [(fault.field, fault.code) for fault in refused.value.field_errors] == [
            ("cursor", "field.cursor_invalid")
        ]


def test_a_tampered_day_cursor_or_pass_is_ignored() -> None:
    day, device = make_cursor(DaySnapshot({1: 2}, {3: 4})), make_pass(1, 2)
    assert (read_cursor(day), read_pass(device)) == (DaySnapshot({1: 2}, {3: 4}), (1, 2))
    assert [one for one in changed(day) if read_cursor(one) is not None] == []
    assert [one for one in changed(device) if read_pass(one) is not None] == []


async def test_a_tampered_quote_is_refused_and_an_unsealed_one_has_expired(app: App) -> None:
    asked: dict[str, Any] = {
        "shipper": {"lat": 43.6, "lng": -79.4},
        "consignee": {"lat": 43.7, "lng": -79.4},
        "weight_g": 900,
    }
    quote_id = (await app.answer("customer", "quote_delivery", asked)).quote_id
    content = unseal(SealedKind.QUOTE, quote_id)
    assert content
    order = {"consignee": ADDRESS}
    for one in (changed(quote_id)[0], changed(quote_id)[20], changed(quote_id)[-1]):
        refused = await app.call("customer", "create_order", {**order, "quote_id": one})
        assert refused.error
        assert (refused.status, refused.error["errors"][0]["field"]) == (422, "quote_id")
    back_dated = msgspec.json.decode(content)
    back_dated["issued_s"] -= 5 * 3600
    unsealed = urlsafe_b64encode(msgspec.json.encode(back_dated)).rstrip(b"=").decode()
    expired = await app.call("customer", "create_order", {**order, "quote_id": unsealed})
    assert expired.error
    assert (expired.status, expired.error["code"]) == (409, "QUOTE_EXPIRED")
    assert "quote_delivery" in expired.error["hint"]


def test_no_other_module_encodes_ids() -> None:
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and any(name.name in ENCODERS for name in node.names)
    }
    assert found == OTHER_ENCODINGS.keys()
