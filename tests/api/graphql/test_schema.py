"""The GraphQL schema derives from requests and responses."""

import gc
from enum import StrEnum
from typing import Any

import pytest
from graphql import GraphQLInputObjectType, GraphQLObjectType, validate_schema
from tests.api.sample_app import OPERATIONS

from haulier.api.graphql.app import graphql_app
from haulier.api.graphql.schema import build_schema, schema_sdl
from haulier.app import registry
from haulier.garbage import without_garbage_collection
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import GraphQL, IncompleteDeclaration, Request, reads
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.registry import Registry

SCHEMA = build_schema(Registry(OPERATIONS))


def fields(name: str) -> dict[str, str]:
    kind = SCHEMA.type_map[name]
    assert isinstance(kind, GraphQLObjectType | GraphQLInputObjectType)
    return {field: str(described.type) for field, described in kind.fields.items()}


def arguments(operation: str) -> dict[str, str]:
    kinds = (SCHEMA.query_type, SCHEMA.mutation_type)
    field = next(kind.fields[operation] for kind in kinds if kind and operation in kind.fields)
    return {name: str(argument.type) for name, argument in field.args.items()}


def test_reads_are_on_query_and_writes_on_mutation() -> None:
    assert SCHEMA.query_type
    assert SCHEMA.mutation_type
    assert {"greet", "parcels", "offers"} <= SCHEMA.query_type.fields.keys()
    assert SCHEMA.mutation_type.fields.keys() == {"sendParcel", "writeNote"}


def test_every_response_field_has_its_declared_type() -> None:
    assert fields("Parcel") == {
        "id": "Long!",
        "speed": "Speed!",
        "stage": "Int!",
        "pieces": "Int!",
        "packed": "ParcelPacked!",
        "sent_at": "DateTime!",
        "due": "Date",
        "colour": "ParcelColour!",
        "facts": "JSON!",
        "note": "String",
        "sellerName": "String!",
    }
    assert fields("Parcels")["parcels"] == "[Parcel!]!"


def test_price_fields_are_nullable_and_document_hiding() -> None:
    assert fields("PricedOffer") == {
        "price_hidden": "Boolean",
        "rate_id": "String!",
        "amount_minor": "Long",
        "label_minor": "Long",
    }


def test_arguments_are_the_fields_of_the_request() -> None:
    assert arguments("sendParcel") == {
        "to": "PlaceInput!",
        "weight_g": "Long!",
        "speed": "Speed",
        "wrap": "SendParcelWrap",
        "pick_up_at": "DateTime",
        "rights": "String",  # its values cannot be spelled as names
        "notes": "[String!]",
    }
    assert fields("PlaceInput") == {"street": "String!", "floor": "Int"}
    assert arguments("parcels") == {"page": "Int", "per_page": "Int", "speed": "Speed"}


def test_descriptions_come_from_docstrings_and_field_metadata() -> None:
    parcel, query = SCHEMA.type_map["Parcel"], SCHEMA.query_type
    assert isinstance(parcel, GraphQLObjectType)
    assert query
    assert parcel.description == "One parcel."
    assert parcel.fields["pieces"].description == "How many pieces."
    assert parcel.fields["note"].description == "Only where there is one."
    assert query.fields["parcels"].description == "List parcels."
    assert query.fields["parcels"].args["speed"].description == "Only those of this speed."


def test_a_refusable_operation_is_nullable_for_its_siblings() -> None:
    assert SCHEMA.query_type
    assert str(SCHEMA.query_type.fields["parcels"].type) == "Parcels"


def test_the_schema_of_every_operation_is_valid_and_reproducible() -> None:
    assert validate_schema(build_schema(registry())) == []
    assert schema_sdl(registry()) == schema_sdl(registry())


def asking(name: str, request: type[Request]) -> Any:
    async def handler(call: Call, request: Any) -> Answer:
        """Say something."""
        return Answer()

    handler.__annotations__["request"] = request
    return reads(name, audience={Account.PUBLIC}, interfaces=(GraphQL(name),))(handler)


def make_request_with(inner: type[Any]) -> type[Request]:
    return type("Ask", (Request,), {"__annotations__": {"one": inner}})


def test_two_records_with_one_name_are_refused_instead_of_merged() -> None:
    def place(field: str) -> type[Request]:
        return make_request_with(type("Place", (Request,), {"__annotations__": {field: str}}))

    same = Registry([asking("a", place("street")), asking("b", place("street"))])
    other = Registry([asking("a", place("street")), asking("b", place("road"))])
    assert build_schema(same)
    with pytest.raises(IncompleteDeclaration, match="Place"):
        build_schema(other)


def test_two_enums_with_one_name_are_refused_instead_of_merged() -> None:
    first, second = StrEnum("Mood", {"GOOD": "good"}), StrEnum("Mood", {"BAD": "bad"})
    with pytest.raises(IncompleteDeclaration, match="Mood"):
        build_schema(Registry([asking("a", make_request_with(first)), asking("b", make_request_with(second))]))


def test_the_schema_is_built_with_the_interface(application: Application) -> None:
    # Built schemas are frozen out of the garbage collector; scanning one takes as long as ten calls.
    with without_garbage_collection():
        documents = graphql_app(application).documents
    assert not any(each is documents.schema for each in gc.get_objects())
