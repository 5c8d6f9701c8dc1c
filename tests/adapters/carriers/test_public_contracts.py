"""Requests of connectors and responses of simulated carriers follow the contracts.

The contracts are those of the carriers (`contracts/README.md`). Every call of an account runs once, over real HTTP,
with a recorder in front of the simulated carriers.
"""

import pytest
from tests.adapters.carriers.public_contracts import contract, contract_violations, deviations, recording_faults
from tests.adapters.carriers.tour import exchanges_with
from tests.support.every_case import for_every

OF_CONTRACTS = ("ups", "shipengine")


@for_every("mount", OF_CONTRACTS)
async def test_requests_and_responses_match_the_published_contract(mount: str) -> None:
    exchanges = await exchanges_with(mount)
    assert sorted(set(contract_violations(mount, exchanges))) == []
    unasked = [each.name for each in contract(mount) if not any(exchange.is_of(each.name) for exchange in exchanges)]
    assert unasked == []


async def test_easypost_requests_and_responses_match_its_client_recordings() -> None:
    assert sorted(set(recording_faults(await exchanges_with("easypost")))) == []


@for_every("mount", OF_CONTRACTS)
async def test_a_modified_request_or_response_is_detected(mount: str) -> None:
    exchanges = [each for each in await exchanges_with(mount) if each.method == "POST" and each.status == 200]
    bought = next(each for each in exchanges if each.path.endswith(("/ship", "/v1/labels")))
    for name in ("request", "answer"):
        kept = getattr(bought, name)
        setattr(bought, name, b'{"nothing": 1}')
        assert list(contract_violations(mount, [bought]))
        setattr(bought, name, kept)
    bought.query = {"stranger": "1"}
    assert list(contract_violations(mount, [bought]))
    bought.query, bought.path = {}, "/nowhere"
    assert list(contract_violations(mount, [bought]))


async def test_a_field_unknown_to_easypost_is_detected() -> None:
    bought = next(each for each in await exchanges_with("easypost") if each.path.endswith("/buy"))
    bought.request = b'{"rate": {"id": 5}, "stranger": true}'
    assert len(list(recording_faults([bought]))) == 2


@for_every("mount", OF_CONTRACTS)
def test_each_deviation_is_still_in_the_contract(mount: str) -> None:
    assert contract(mount), "a place that is not there raises"
    assert len({each["at"] for each in deviations(mount)}) == len(deviations(mount))
    assert all(each["why"] for each in deviations(mount))


def test_a_deviation_missing_from_the_contract_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = [{"at": "Rating|schemas|PackageServiceOptions_DeclaredValue|properties|Gone", "why": "-"}]
    monkeypatch.setattr("tests.adapters.carriers.public_contracts.deviations", lambda carrier: gone)
    with pytest.raises(LookupError):
        contract.__wrapped__("ups")
