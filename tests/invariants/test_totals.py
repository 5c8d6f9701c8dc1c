"""The total of a list equals the number of records on its pages."""

from typing import Any

from tests.invariants.business import AS, actor
from tests.invariants.example_requests import make_request_for, of_required_fields
from tests.invariants.full_business import known_to, make_full_business
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

LISTS = [
    operation
    for operation in registry()
    if operation.effect is Effect.READ
    and issubclass(operation.request, PageRequest)
    and issubclass(operation.answer, PagedAnswer)
]
ONE_OF = {"find_bookable_windows": {"postal_code": "M5V 2T6"}}
"""Fields of a request in addition to the required ones."""
PER_PAGE = 20
MAX_PAGES = 100


def records_of(answer: Any) -> list[Any]:
    """Return the records of a page: the first array of the answer."""
    arrays = [value for name in answer.__struct_fields__ if isinstance(value := getattr(answer, name), list)]
    return arrays[0]


async def walk(app: App, operation: Operation[Any, Any], asked: dict[str, Any]) -> str | None:
    """Return the error in the total of a list, or None."""
    walked, totals = 0, set[int]()
    for page in range(1, MAX_PAGES):
        outcome = await app.call(actor(operation, AS), operation.name, {**asked, "page": page, "per_page": PER_PAGE})
        if outcome.error:
            return f"refused: {outcome.error['code']}"
        records = records_of(outcome.answer)
        totals.add(outcome.answer.total)
        walked += len(records)
        if len(records) < PER_PAGE:
            break
    return None if totals == {walked} else f"{walked} are listed, {totals} are told"


async def test_the_total_of_every_list_matches_its_pages(app: App) -> None:
    known = await make_full_business(app)
    faults: dict[str, str] = {}
    for operation in LISTS:
        request = make_request_for(operation, known_to(operation, known))
        asked = of_required_fields(operation, request) | ONE_OF.get(operation.name, {})
        if fault := await walk(app, operation, asked):
            faults[operation.name] = fault
    assert len(LISTS) > 20
    assert faults == {}
