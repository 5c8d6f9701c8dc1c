"""Unknown names in query or body are rejected with the closest known name."""

import re
from typing import Any

from tests.contexts.orders.examples import ADDRESS
from tests.invariants.business import AS, actor
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.operations.declaration import Rest

PEOPLE = {account: who for account, who in AS.items() if who != "provider"}


async def faults(app: App, who: str | None, method: str, path: str, body: Any = None, **headers: str) -> Any:
    answer = await app.rest(who, method, path, body, headers=headers)
    return answer.status_code, [tuple(each.values()) for each in answer.json()["errors"]]


async def test_a_misspelled_filter_is_refused_with_a_suggestion(app: App) -> None:
    words = "Unknown query parameter. Did you mean status?"
    assert await faults(app, "admin", "GET", "/v1/orders?stauts=HOLD") == (422, [("stauts", "EXTRA_FORBIDDEN", words)])


async def test_the_hint_is_in_the_callers_language(app: App) -> None:
    status, told = await faults(app, "admin", "GET", "/v1/orders?stauts=HOLD", **{"Accept-Language": "de"})
    assert (status, told[0][2]) == (422, "Unbekannter Abfrageparameter. Meinten Sie status?")


async def test_an_unrecognizable_name_is_refused_with_the_valid_ones(app: App) -> None:
    status, told = await faults(app, "admin", "GET", "/v1/depots?colour=red")
    assert (status, told[0][:2]) == (422, ("colour", "EXTRA_FORBIDDEN"))
    assert told[0][2].startswith("Unknown query parameter. Available parameters: closed")


async def test_unknown_parameters_are_reported_with_all_other_errors(app: App) -> None:
    status, told = await faults(app, "admin", "GET", "/v1/orders?per_page=0&colour=red&created_form=2026")
    assert (status, {each[0] for each in told}) == (422, {"per_page", "colour", "created_form"})


async def test_parameters_are_not_revealed_to_unauthorized_callers(app: App) -> None:
    assert await faults(app, None, "GET", "/v1/orders?stauts=HOLD") == (401, [])


async def test_a_body_field_is_not_read_from_the_query(app: App) -> None:
    answer = await faults(app, "admin", "POST", "/v1/client/orderCreate?order_ref=A-1", {"consignee": ADDRESS})
    assert (answer[0], answer[1][0][:2]) == (422, ("order_ref", "EXTRA_FORBIDDEN"))


async def test_an_unknown_record_field_is_refused_with_a_suggestion(app: App) -> None:
    body = {"consignee": {**ADDRESS, "postalCode": "M5V"}, "colour": "red"}
    status, told = await faults(app, "admin", "POST", "/v1/client/orderCreate", body)
    by_field = {each[0]: each[2] for each in told}
    assert status == 422
    assert by_field["consignee.postalCode"] == "Unknown field. Did you mean postal_code?"
    assert by_field["colour"].startswith("Unknown field.")


async def test_every_operation_refuses_unknown_parameters(app: App) -> None:
    taken: list[tuple[str, int]] = []
    for rest, operation in registry().bindings(Rest):
        who = None if operation.public else actor(operation, PEOPLE)
        path = re.sub(r"{\w+}", "1", rest.path)
        answer = await app.rest(who, rest.method, f"{path}?no_such_thing=1", {} if rest.method != "GET" else None)
        named = {each.get("field") for each in answer.json().get("errors", ())}
        if answer.status_code < 300 or (answer.status_code == 422 and "no_such_thing" not in named):
            taken.append((operation.name, answer.status_code))
    assert taken == []
