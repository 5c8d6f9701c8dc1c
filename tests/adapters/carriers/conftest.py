"""The simulated carriers, for all tests of this folder."""

from collections.abc import Iterator

import pytest
from tests.adapters.carriers.simulated import Simulator, run_simulator


@pytest.fixture(scope="session")
def running_carriers() -> Iterator[Simulator]:
    """One server for the whole run: labels persist, so tests use separate references."""
    with run_simulator() as simulator:
        yield simulator


@pytest.fixture
def carriers(running_carriers: Simulator) -> Iterator[Simulator]:
    """The server, with nothing going wrong unless the test says so."""
    running_carriers.http.delete("/simulator/faults")
    yield running_carriers
    running_carriers.http.delete("/simulator/faults")
