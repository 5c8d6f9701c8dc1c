"""The GraphQL endpoint over the house of made-up operations."""

import pytest
from tests.doors.graphql.asking import Endpoint

from haulier.kernel.house import House


@pytest.fixture
def endpoint(house: House) -> Endpoint:
    return Endpoint(house)
