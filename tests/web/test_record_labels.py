"""Fields and choices can have a name of their own on one kind of record."""

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

from tests.support.app import App
from tests.web.page_client import get_page, page_text

from haulier.app import registry
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.resources import Resource, resources_of

NOUNS = {noun.key.replace("-", "_"): noun for noun in resources_of(registry())}
OWN = [id.split(".") for id in Catalogues().words("en") if id.startswith(("label.", "choice.")) and id.count(".") == 2]


def fields_of(noun: Resource) -> set[str]:
    """Return the fields of a record, its filters and the forms of its actions."""
    requests = [noun.listing, *noun.makes, *noun.acts]
    return {*noun.row.__struct_fields__, *(name for each in requests for name in each.request.model_fields)}


def values_of(kind: Any) -> Iterator[str]:
    """Yield the values of the enums and literals in a type."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    elif isinstance(kind, type) and hasattr(kind, "__members__"):
        yield from (each.value for each in kind)  # type: ignore[var-annotated]
    else:
        for part in get_args(kind):
            yield from values_of(part)


def test_every_own_label_belongs_to_a_field_of_its_record() -> None:
    labels = [(noun, name) for kind, noun, name in OWN if kind == "label"]
    assert len(labels) > 30
    assert [(noun, name) for noun, name in labels if noun not in NOUNS or name not in fields_of(NOUNS[noun])] == []


def test_every_own_choice_is_a_value_of_its_record() -> None:
    values = {
        key: {value for kind in get_type_hints(noun.row).values() for value in values_of(kind)}
        for key, noun in NOUNS.items()
    }
    choices = [(noun, value) for kind, noun, value in OWN if kind == "choice"]
    assert [(noun, value) for noun, value in choices if value not in values.get(noun, ())] == []


async def test_a_list_names_its_own_fields(app: App) -> None:
    await app.answer("admin", "create_warehouse", {"code": "W1", "name": "One"})
    page = await get_page(app, "/desk/warehouses?lang=de", "admin")
    assert '<th scope="col">Dauerhaft geschlossen</th>' in page.text
    searched = await get_page(app, "/desk/orders", "admin")
    assert ">Search</label>" in searched.text


async def test_a_record_names_its_own_fields(app: App) -> None:
    warehouse = (await app.answer("admin", "create_warehouse", {"code": "W1", "name": "One"})).warehouse
    page = await get_page(app, f"/desk/warehouses/{warehouse.id}", "admin")
    assert "Permanently closed" in page_text(page)
