"""The GraphQL endpoint over the sample operations."""

import pytest
from tests.api.graphql.graphql_client import GraphQLClient

from haulier.kernel.application import Application


@pytest.fixture
def endpoint(application: Application) -> GraphQLClient:
    return GraphQLClient(application)
