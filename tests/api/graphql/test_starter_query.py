"""Starter documents that run without changes."""

import pytest
from graphql import GraphQLSchema, OperationDefinitionNode
from graphql.execution.values import get_variable_values

from haulier.api.graphql.document_cache import DocumentCache
from haulier.api.graphql.schema import build_schema
from haulier.api.graphql.starter_query import starter_query
from haulier.app import registry


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema(registry())


def test_every_field_has_a_valid_document_with_matching_variables(schema: GraphQLSchema) -> None:
    documents, wrong = DocumentCache(schema), []
    for parent in (schema.query_type, schema.mutation_type):
        assert parent
        for name in parent.fields:
            starter = starter_query(schema, name)
            assert starter
            (operation,) = documents[starter.document].document.definitions
            assert isinstance(operation, OperationDefinitionNode)
            if isinstance(get_variable_values(schema, operation.variable_definitions or (), starter.variables), list):
                wrong.append(name)
    assert not wrong


def test_required_arguments_are_variables_and_all_arguments_are_described(schema: GraphQLSchema) -> None:
    starter = starter_query(schema, "order")
    assert starter
    assert starter.document.startswith("query Order($order_id: Long!) {\n  order(order_id: $order_id) {")
    assert starter.variables == {"order_id": 1}
    assert [(each.name, each.required) for each in starter.arguments if each.required] == [("order_id", True)]
    assert "order.tracking_number" in {each.name for each in starter.fields}


def test_an_unknown_field_has_no_document(schema: GraphQLSchema) -> None:
    assert starter_query(schema, "nothing") is None
