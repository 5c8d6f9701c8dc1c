"""Generated container problems equal those of the published files."""

from itertools import islice

import pytest
from bench.loading import file_of, made_containers, read_containers
from tests.support.shared import shared


@pytest.mark.parametrize("number_of_set", [1, 4, 7, 8, 12])
def test_a_generated_set_equals_its_file(number_of_set: int) -> None:
    path = shared(f"instances/packing/br/{file_of(number_of_set)}.txt")
    assert list(islice(read_containers(path, 100, 5), 20)) == list(made_containers(number_of_set, 20, 100, 5))
