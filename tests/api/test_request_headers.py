"""Call attributes in headers, on every HTTP interface."""

import re

import pytest
from tests.support.kernel_app import greet
from tests.support.shared import shared

from haulier.api.request_headers import RequestHeaders
from haulier.kernel.operations.enums import ALL_SCOPES, Risk, Scope
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.operations.scope_profiles import PROFILES


def read(**headers: str) -> RequestHeaders:
    pairs = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    return RequestHeaders.of({"headers": pairs, "client": ("10.0.0.9", 1234)})


@pytest.mark.parametrize("value", ["1", "true", "TRUE", "yes", "on", " 1 ", "please"])
def test_a_switch_header_is_on_unless_it_says_off(value: str) -> None:
    assert read(x_dry_run=value).dry_run
    assert read(x_mcp_dry_run=value).dry_run


@pytest.mark.parametrize("value", ["", "0", "false", "False", "no", "off"])
def test_a_switch_can_be_turned_off(value: str) -> None:
    headers = read(x_dry_run=value, x_mcp_dry_run=value, x_mcp_require_approval=value)
    assert (headers.dry_run, headers.approval_from) == (False, None)


def test_either_approval_header_sets_the_minimum_risk_that_waits() -> None:
    risks = {"1": Risk.HIGH, "TRUE": Risk.HIGH, " high ": Risk.HIGH, "Medium": Risk.MEDIUM, "all": Risk.LOW}
    for value, risk in risks.items():
        assert read(x_mcp_require_approval=value).approval_from is risk
        assert read(x_require_approval=value).approval_from is risk


def test_of_two_approval_headers_the_stricter_applies() -> None:
    assert read(x_mcp_require_approval="1", x_require_approval="all").approval_from is Risk.LOW
    assert read(x_mcp_require_approval="medium", x_require_approval="0").approval_from is Risk.MEDIUM


@pytest.mark.parametrize("header", ["x_mcp_require_approval", "x_require_approval"])
def test_an_invalid_approval_header_is_refused_with_the_valid_values(header: str) -> None:
    with pytest.raises(OperationError, match="unknown_approval_value"):
        read(**{header: "perhaps"}).operation_request(greet, "rest")


@pytest.mark.parametrize(
    "header", ["x_approval", "x_mcp_approval", "x_approval_required", "x_haulier_require_approval"]
)
def test_a_misspelled_approval_header_is_refused(header: str) -> None:
    with pytest.raises(OperationError, match="unknown_approval_header"):
        read(**{header: "1"}).operation_request(greet, "rest")


def test_only_a_bearer_token_is_accepted() -> None:
    assert read(authorization="Bearer abc").token == "abc"
    assert read(authorization="bearer  abc ").token == "abc"
    assert read(authorization="Basic abc").token is None
    assert read(authorization="Bearer ").token is None


def test_a_loggable_request_id_is_kept_and_others_are_replaced() -> None:
    assert read(x_request_id="order-7:a").request_id == "order-7:a"
    assert read(x_request_id="a b\x1b[31m").request_id != "a b\x1b[31m"
    assert read().request_id != read().request_id


def test_without_profile_and_scopes_nothing_is_narrowed() -> None:
    assert read().narrow_to is None


def test_scopes_override_the_profile() -> None:
    assert read(x_mcp_scopes="orders:read, wms:read", x_mcp_profile="full").narrow_to == {
        Scope.ORDERS_READ,
        Scope.WMS_READ,
    }
    assert read(x_mcp_scopes="*", x_mcp_profile="support").narrow_to == ALL_SCOPES
    assert read(x_mcp_scopes="", x_mcp_profile="full").narrow_to == frozenset()


def test_an_unknown_profile_and_an_unknown_scope_are_refused() -> None:
    with pytest.raises(OperationError, match="unknown_profile"):
        _ = read(x_mcp_profile="root").narrow_to
    with pytest.raises(OperationError, match="unknown_scope"):
        _ = read(x_mcp_scopes="everything").narrow_to
    assert read(x_mcp_scopes="").narrow_to == frozenset()


def test_a_call_carries_the_values_of_its_headers() -> None:
    headers = read(authorization="Bearer t", accept_language="fr", idempotency_key="k", x_request_id="r", x_dry_run="1")
    operation_request = headers.operation_request(greet, "graphql", body=b"{}")
    assert (operation_request.token, operation_request.accept_language, operation_request.idempotency_key) == (
        "t",
        "fr",
        "k",
    )
    assert (
        operation_request.request_id,
        operation_request.dry_run,
        operation_request.address,
        operation_request.interface,
    ) == ("r", True, "10.0.0.9", "graphql")


def test_the_profiles_match_the_interface() -> None:
    section = shared("spec/interface.md").read_text().split("| Profile | Scopes |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| ([a-z-]+)[^|]*\| ([^|]+) \|$", section, re.MULTILINE)
    told = {name: frozenset(re.findall(r"[a-z_]+:[a-z]+", scopes)) for name, scopes in rows}
    assert told.pop("full") == frozenset()
    assert told == {name: scopes for name, scopes in PROFILES.items() if name != "full"}
    assert PROFILES["full"] == ALL_SCOPES
