"""A 404 names the kind and the identifier of the missing record."""

import re

from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.declaration import Rest
from haulier.kernel.operations.errors import NOT_FOUND


async def test_a_missing_record_is_reported_in_text_and_by_field(app: App) -> None:
    answer = await app.rest("admin", "GET", "/v1/orders/62")
    assert answer.status_code == 404
    assert answer.json()["message"] == "There is no order 62."
    assert answer.json()["errors"] == [{"field": "order_id", "code": "NOT_FOUND", "message": "There is no order 62."}]


async def test_the_message_is_in_the_callers_language(app: App) -> None:
    told = {
        language: (await app.rest(None, "GET", "/v1/tracking/SW9", headers={"Accept-Language": language})).json()
        for language in SUPPORTED_LANGUAGES
    }
    assert told["en"]["message"] == "There is no number SW9."
    assert told["fr"]["message"] == "Introuvable : numéro SW9."
    assert len({each["message"] for each in told.values()}) == len(SUPPORTED_LANGUAGES)


async def test_of_two_records_in_a_path_the_missing_one_is_reported(app: App) -> None:
    depot = {"name": "Yard", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
    depot_id = (await app.answer("admin", "create_depot", depot)).depot.id
    route = (await app.answer("admin", "create_route", {"day": "2026-06-10", "depot_id": depot_id})).route
    answer = await app.rest("admin", "POST", f"/v1/routes/{route.id}/stops/77/arrive", {})
    assert answer.json()["message"] == "There is no stop 77."


async def test_another_clients_record_is_reported_like_a_missing_one(app: App) -> None:
    order = (await app.answer("rival", "create_order", {"consignee": ADDRESS})).order
    theirs = (await app.rest("admin", "GET", f"/v1/orders/{order.id}")).json()
    nobodys = (await app.rest("admin", "GET", f"/v1/orders/{order.id + 1}")).json()
    assert theirs["message"] == f"There is no order {order.id}."
    assert {**theirs, "request_id": ""} == {
        **nobodys,
        "request_id": "",
        "message": theirs["message"],
        "errors": theirs["errors"],
    }


async def test_long_input_is_truncated_in_the_message(app: App) -> None:
    answer = await app.rest(None, "GET", f"/v1/tracking/{'A' * 64}")
    assert answer.json()["message"] == f"There is no number {'A' * 60}."


def test_every_record_in_a_path_has_a_name() -> None:
    paths = {
        name
        for rest, operation in registry().bindings(Rest)
        if NOT_FOUND in operation.errors
        for name in re.findall(r"{(\w+)}", rest.path)
    }
    assert len(paths) > 30
    assert sorted(name for name in paths if f"record.{name}" not in Catalogues().words("en")) == []
