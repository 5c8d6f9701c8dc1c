"""The operation reference is complete and matches the declarations."""

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from haulier.app import registry
from haulier.cli.errors_reference import render_errors_page
from haulier.cli.events_reference import render_event_pages
from haulier.cli.operations_reference import render_operation_pages
from haulier.contexts.integrations.public import EVENT_CATALOG
from haulier.kernel.call import Call
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import (
    DocumentRequest,
    GraphQL,
    Mcp,
    Operation,
    RateLimit,
    Request,
    Rest,
    reads,
    writes,
)
from haulier.kernel.operations.enums import OFFICE, Account, Feature, Risk, Scope
from haulier.kernel.operations.errors import CONFLICT, SCOPE_MISSING, list_error_types

PAGE = "".join(text for name, text in render_operation_pages(registry()).items() if name != "README.md")


class Wheel(Request):
    spokes: Annotated[int, Field(ge=0, le=36)] = 32
    """Number of | spokes."""


class Bicycle(Request):
    name: Annotated[str, Field(min_length=1, max_length=40)]
    front: Wheel
    rear: Wheel | None = None
    colours: Annotated[list[Literal["red", "blue"]], Field(max_length=3)] = []
    serial: Annotated[str, Field(min_length=8, max_length=8, pattern="^[0-9]+$")] | None = None


@writes(
    "build_bicycle",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    feature=Feature.ORDER_CHAT,
    limits=(RateLimit(5, 60, ("user",)),),
    errors=(SCOPE_MISSING, CONFLICT),
    interfaces=(Rest("POST", "/v1/bicycles"), GraphQL("buildBicycle"), Mcp("build_bicycle")),
)
async def build_bicycle(call: Call, request: Bicycle) -> Done:
    """Build a bicycle."""
    return Done(message="built")


class Photographs(DocumentRequest):
    media_types: ClassVar[Mapping[str, Mapping[str, Any]]] = {"image/png": {}, "image/webp": {}}


@reads("look_at_bicycle", audience={Account.PUBLIC}, interfaces=(Rest("POST", "/v1/bicycles/look"),))
async def look_at_bicycle(call: Call, request: Photographs) -> Done:
    """Look at a bicycle."""
    return Done(message="seen")


ENTRY = """
### build_bicycle

Build a bicycle.

- interfaces: `POST /api/v1/bicycles`, `graphql buildBicycle`, `tool build_bicycle (user)`
- audience: client_admin, employee
- scopes: `orders:write`
- effect: write, risk high, requires confirmation
- opt-in: order_chat
- rate: 5 in 60 s per user
- errors: [`CONFLICT`](../errors.md#conflict) (409), [`SCOPE_MISSING`](../errors.md#scope_missing) (403)

| field | type | limits | meaning |
| --- | --- | --- | --- |
| **name** | string | 1 to 40 characters | |
| **front** | record | | |
| front.spokes | integer | 0 to 36 | Number of \\| spokes. Default 32. |
| rear | record like front | | |
| colours | list of one of | at most 3 items, each `red`, each `blue` | |
| serial | string | 8 characters, `^[0-9]+$` | |
"""


def the_page_of(operation: Operation[Any, Any]) -> str:
    (page,) = (text for name, text in render_operation_pages([operation]).items() if name != "README.md")
    return page


def test_an_entry_matches_its_declaration() -> None:
    assert the_page_of(build_bicycle).endswith(ENTRY)


def test_a_document_is_described_by_its_media_types_without_a_table() -> None:
    page = the_page_of(look_at_bicycle)
    assert "- body: `image/png`, `image/webp`" in page
    assert "| field |" not in page


def test_every_operation_has_an_entry_with_its_interfaces_and_fields() -> None:
    entries = {part.partition("\n")[0]: part for part in PAGE.split("\n### ")[1:]}
    assert entries.keys() == {operation.name for operation in registry()}
    for operation in registry():
        entry = entries[operation.name]
        assert operation.description in entry
        assert all(interface.path in entry for interface in operation.interfaces if isinstance(interface, Rest))
        assert all(f"`{problem.code}`" in entry for problem in operation.errors)
        fields = operation.request.model_json_schema().get("properties", {})
        assert [name for name in fields if f"| {name} |" not in entry and f"| **{name}** |" not in entry] == []


def test_every_declared_error_is_in_the_table_with_its_meaning() -> None:
    translate = partial(Catalogues().translate, "en")
    rows = re.findall(r'^\| <a id="(\w+)"></a>`(\w+)` \| (.+?) \|', errors_page(translate), re.MULTILINE)
    assert [id for id, code, meaning in rows if code != id.upper() or not meaning.strip()] == []
    declared = {problem.id for operation in registry() for problem in operation.errors}
    assert sorted(declared - {id for id, _, _ in rows}) == []


def errors_page(translate: partial[str]) -> str:
    return render_errors_page(registry(), list_error_types(), translate)


def test_an_event_page_has_a_sample_with_its_fields() -> None:
    pages = render_event_pages(registry(), partial(Catalogues().translate, "en"))
    assert pages.keys() == {"README.md", *(f"{event.name}.md" for event in EVENT_CATALOG)}
    sample = json.loads(pages["order.held.md"].partition("```json\n")[2].partition("```")[0])
    assert (sample["event"], sample["subject"]) == ("order.held", "order:17")
    assert sample["data"].keys() >= {"order_id", "order"}
    assert all(text.count("](../operations/") == 1 for name, text in pages.items() if name != "README.md")
