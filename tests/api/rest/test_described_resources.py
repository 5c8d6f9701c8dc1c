"""Nouns, references and choices of records in OpenAPI, GraphQL and tools."""

from typing import Any

from graphql import GraphQLEnumType, GraphQLObjectType
from msgspec import UNSET
from tests.support.app import App
from tests.support.descriptions import openapi, with_parameters

from haulier.api.graphql.schema import build_schema
from haulier.api.rest.openapi import openapi_document
from haulier.app import registry
from haulier.kernel.i18n.choices import hint_messages
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.kernel.operations.resources import resources_of
from haulier.web.desk.forms import Field, form_of


def test_openapi_contains_resources_ids_and_choice_names() -> None:
    described: dict[str, Any] = openapi()
    entry = with_parameters(described)["/v1/routes/{route_id}/driver"]["put"]
    assert (entry["x-haulier"]["resource"], entry["x-haulier"]["role"]) == ("routes", "act")
    assert entry["parameters"][0]["schema"]["x-refers-to"] == "routes"
    assert described["components"]["schemas"]["OrderRecord"]["properties"]["driver_id"]["x-refers-to"] == "drivers"
    told = described["x-haulier"]
    drivers = told["resources"]["drivers"]
    assert (drivers["ids"], drivers["operations"]["list"]) == (["driver_id"], ["get_drivers"])
    assert "update_driver" in drivers["operations"]["act"]
    assert drivers["names"]["de"] == "Fahrer"
    assert set(told["choices"]["NEW_ORDER"]) == set(SUPPORTED_LANGUAGES)


async def test_field_descriptions_are_served_in_other_languages(app: App) -> None:
    translations = (await app.http.get("/api/field-translations.json")).json()
    assert translations["Street and house number."]["fr"] == "Numéro et nom de rue."


def test_a_parameter_of_many_operations_is_defined_once() -> None:
    described: dict[str, Any] = openapi()
    assert {"$ref": "#/components/parameters/per_page"} in described["paths"]["/v1/routes"]["get"]["parameters"]
    assert described["components"]["parameters"]["per_page"]["schema"]["maximum"] == 200


def test_an_error_response_is_defined_once() -> None:
    described: dict[str, Any] = openapi()
    responses = described["paths"]["/v1/routes"]["get"]["responses"]
    assert responses["429"] == {"$ref": "#/components/responses/TooManyRequests"}
    assert set(described["components"]["responses"]["TooManyRequests"]) == {"description", "content"}


def test_a_partial_registry_resolves_ids_of_other_records() -> None:
    whole = registry()
    part = whole.part([whole["hold_order"]])
    assert resources_of(part) is not None
    parameters = with_parameters(openapi_document(part))["/v1/orders/{order_id}/hold"]["post"]["parameters"]
    assert parameters[0]["schema"]["x-refers-to"] == "orders"


def test_graphql_describes_ids_and_codes() -> None:
    schema = build_schema(registry())
    assert schema.query_type is not None
    route = schema.query_type.fields["route"].args["route_id"]
    assert str(route.description).endswith("One of `routes`.")
    order = schema.type_map["OrderRecord"]
    assert isinstance(order, GraphQLObjectType)
    assert str(order.fields["driver_id"].description).endswith("One of `drivers`.")
    enums = [each for each in schema.type_map.values() if isinstance(each, GraphQLEnumType)]
    statuses = [each.values["NEW_ORDER"] for each in enums if "NEW_ORDER" in each.values]
    assert {each.description for each in statuses} == {"new"}


async def test_operation_descriptions_are_in_the_callers_language(app: App) -> None:
    told = (await app.answer("admin", "describe_operation", {"name": "assign_route_driver"})).operation
    references = {"route_id": "get_routes", "driver_id": "get_drivers", "vehicle_id": "list_vehicles"}
    assert (told.noun, told.refers_to) == ("routes", references)
    assert told.choices is UNSET
    told = (await app.answer("admin", "describe_operation", {"name": "get_orders"}, accept_language="de")).operation
    assert told.choices["NEW_ORDER"] == "neu"


def test_every_form_hint_is_translated() -> None:
    def hints(fields: list[Field]) -> set[str]:
        return {each.hint for each in fields if each.hint}.union(*(hints(each.fields) for each in fields))

    shown = set[str]().union(*(hints(form_of(each.request).fields({}, "UTC")) for each in registry()))
    known = hint_messages().keys()
    assert sorted(shown - known) == [], "give these a message in locales/*/field_hints.po"
    assert sorted(known - shown) == [], "translated sentences that no contract has any more"


async def test_an_ambiguous_id_refers_to_the_noun_of_its_type(app: App) -> None:
    """`device_id` is a locker device, a push device or a scanner's own text."""
    described: dict[str, Any] = openapi()
    parameters = with_parameters(described)["/v1/push-devices/{device_id}"]["delete"]["parameters"]
    assert parameters[0]["schema"]["x-refers-to"] == "push-devices"
    records = described["components"]["schemas"]
    assert records["LockerCabinet"]["properties"]["device_id"]["x-refers-to"] == "devices"
    assert "x-refers-to" not in records["WarehouseScan"]["properties"]["device_id"]
    assert records["StatementEntry"]["properties"]["transfer_id"]["x-refers-to"] == "ledger-transfers"
    assert records["WarehousePackage"]["properties"]["transfer_id"]["x-refers-to"] == "transfers"
    told = (await app.answer("admin", "describe_operation", {"name": "remove_push_device"})).operation
    assert told.refers_to["device_id"] == "list_push_devices"
    told = (await app.answer("admin", "describe_operation", {"name": "list_scans"})).operation
    assert "device_id" not in told.refers_to
    schema = build_schema(registry())
    entry = schema.type_map["StatementEntry"]
    assert isinstance(entry, GraphQLObjectType)
    assert str(entry.fields["transfer_id"].description).endswith("One of `ledgerTransfers`.")
