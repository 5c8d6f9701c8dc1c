"""The Python client against a real server."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.processes.server_process import make_order
from tests.sdk.faulty_proxy import DROP_AFTER, DROP_BEFORE, FaultyProxy, faulty_proxy
from tests.sdk.running import Running

from haulier_client import (
    AsyncHaulier,
    AuthenticationFailed,
    Conflict,
    ConnectionFailed,
    Haulier,
    InvalidRequest,
    NotFound,
    RateLimited,
    ServerFailed,
)


@pytest.fixture(scope="module")
def key(running: Running) -> str:
    return running.key("python-sdk")


@pytest.fixture
def proxy(running: Running) -> Iterator[FaultyProxy]:
    with faulty_proxy(running.base) as faulty:
        yield faulty


@pytest.fixture
def shaky(proxy: FaultyProxy, key: str) -> Iterator[Haulier]:
    with Haulier(proxy.base, key) as haulier:
        yield haulier


@pytest.fixture
def steady(running: Running, key: str) -> Iterator[Haulier]:
    with Haulier(running.base, key) as haulier:
        yield haulier


def order_request(ref: str, **more: str) -> Any:
    return {**make_order(ref), **more}


def depot_request(name: str) -> Any:
    return {"name": name, "address": "1 Dock Rd", "lat": 43.7, "lng": -79.3}


def count_orders(haulier: Haulier, ref: str) -> int:
    return haulier.orders.get_orders(order_ref=ref)["total"]


@pytest.mark.parametrize("fault", [DROP_BEFORE, DROP_AFTER, (503, {"Retry-After": "0"}), (429, {}), (502, {})])
def test_a_repeated_write_runs_once(
    proxy: FaultyProxy, shaky: Haulier, fault: str | tuple[int, dict[str, str]]
) -> None:
    proxy.faults = [fault, fault]
    made = shaky.dispatch.create_depot(depot_request(f"East {fault}"))["depot"]
    same = [each for each in shaky.dispatch.list_depots()["depots"] if each["name"] == made["name"]]
    assert len(same) == 1
    assert len(set(proxy.keys[:3])) == 1
    assert proxy.keys[0]


def test_two_writes_have_different_keys(proxy: FaultyProxy, shaky: Haulier) -> None:
    for ref in ("KEYS-1", "KEYS-2"):
        shaky.client.create_order(order_request(ref))
    first, second = proxy.keys
    assert first != second


def test_a_custom_key_is_sent(proxy: FaultyProxy, shaky: Haulier) -> None:
    shaky.client.create_order(order_request("OWN"), idempotency_key="cart-77")
    assert proxy.keys == ["cart-77"]


def test_a_secret_with_a_lost_response_is_not_created_twice(proxy: FaultyProxy, shaky: Haulier) -> None:
    proxy.faults = [DROP_AFTER]
    with pytest.raises(Conflict, match="ANSWER_NOT_REPEATED"):
        shaky.user.issue_api_token({"name": "lost"})
    tokens = shaky.user.list_api_tokens(search="lost")["tokens"]
    assert len(tokens) == 1


def test_attempts_are_limited(proxy: FaultyProxy, shaky: Haulier) -> None:
    proxy.faults = [(500, {"Retry-After": "0"})] * 9
    with pytest.raises(ServerFailed, match="HTTP_500"):
        shaky.user.who_am_i()
    assert len(proxy.faults) == 4


def test_a_long_wait_is_left_to_the_caller(proxy: FaultyProxy, shaky: Haulier) -> None:
    proxy.faults = [(429, {"Retry-After": "3600"})]
    with pytest.raises(RateLimited) as refused:
        shaky.user.who_am_i()
    assert refused.value.retry_after_s == 3600


def test_an_unreachable_server_raises_a_connection_error(key: str) -> None:
    with Haulier("http://127.0.0.1:9", key, max_retries=1) as haulier, pytest.raises(ConnectionFailed):
        haulier.user.who_am_i()


def test_an_error_includes_code_field_and_request_id(steady: Haulier) -> None:
    with pytest.raises(InvalidRequest) as refused:
        steady.client.create_order(order_request("BAD", type="X"))
    assert refused.value.code == "INVALID_REQUEST"
    assert "type" in [fault["field"] for fault in refused.value.faults]
    assert refused.value.field
    assert refused.value.request_id
    with pytest.raises(NotFound, match="999999"):
        steady.orders.get_order_detail(999999)


def test_messages_are_in_the_clients_language(steady: Haulier) -> None:
    with pytest.raises(NotFound) as refused:
        steady.with_options(language="fr").orders.get_order_detail(999999)
    assert "commande" in refused.value.message


def test_a_wrong_key_is_refused(running: Running) -> None:
    with Haulier(running.base, "hltoken_wrong") as haulier, pytest.raises(AuthenticationFailed):
        haulier.user.who_am_i()


def test_a_dry_run_changes_nothing(steady: Haulier) -> None:
    steady.with_options(dry_run=True).client.create_order(order_request("DRY"))
    assert count_orders(steady, "DRY") == 0


def test_paging_returns_every_order_once_while_new_ones_arrive(steady: Haulier) -> None:
    for number in range(25):
        steady.client.create_order(order_request(f"PAGE-{number}"))
    met: list[str] = []
    for order in steady.orders.iter_orders(per_page=5):
        met.append(order["order_ref"] or "")
        if len(met) % 5 == 1 and len(met) < 25:
            steady.client.create_order(order_request(f"LATER-{len(met)}"))
    paged = [ref for ref in met if ref.startswith("PAGE-")]
    assert sorted(paged) == sorted(f"PAGE-{number}" for number in range(25))
    assert len(met) == len(set(met))


def test_numbered_pages_are_followed_to_the_end(steady: Haulier) -> None:
    for number in range(3):
        steady.dispatch.create_depot(depot_request(f"Paged {number}"))
    names = [depot["name"] for depot in steady.dispatch.iter_depots(per_page=2)]
    assert {f"Paged {number}" for number in range(3)} <= set(names)
    assert len(names) == steady.dispatch.list_depots()["total"]


def test_a_label_can_be_downloaded_as_a_file(steady: Haulier) -> None:
    order = steady.client.create_order(order_request("LABEL"))["order"]
    assert steady.orders.print_local_label(order["id"], accept="application/pdf").startswith(b"%PDF")
    assert steady.orders.print_local_label(order["id"], format="zpl")["result"]


async def test_the_async_client_supports_the_same_calls(proxy: FaultyProxy, key: str) -> None:
    proxy.faults = [DROP_AFTER, (503, {"Retry-After": "0"})]
    async with AsyncHaulier(proxy.base, key) as haulier:
        order = (await haulier.client.create_order(order_request("AWAITED")))["order"]
        found = [each["id"] async for each in haulier.orders.iter_orders(order_ref="AWAITED")]
    assert found == [order["id"]]
    assert len(set(proxy.keys[:3])) == 1
