"""The TypeScript client against a real server, in strict programs."""

import json
from collections.abc import Iterator

import pytest
from scripts.sdk.typescript_build import FOLDER, run_node
from tests.sdk.faulty_proxy import DROP_AFTER, DROP_BEFORE, FaultyProxy, faulty_proxy
from tests.sdk.running import Running
from tests.sdk.signed_message import BODY, NOW, signed
from tests.sdk.typescript_programs import compiled, run_program

from haulier.contexts.integrations.webhooks.rules import generate_webhook_secret


@pytest.fixture(scope="module", autouse=True)
def key(running: Running) -> str:
    compiled()
    return running.key("typescript-sdk")


@pytest.fixture
def proxy(running: Running) -> Iterator[FaultyProxy]:
    with faulty_proxy(running.base) as faulty:
        yield faulty


@pytest.mark.parametrize("fault", [DROP_BEFORE, DROP_AFTER, (503, {"Retry-After": "0"}), (429, {})])
def test_a_repeated_write_runs_once(proxy: FaultyProxy, key: str, fault: str | tuple[int, dict[str, str]]) -> None:
    proxy.faults = [fault, fault]
    assert run_program("client", proxy.base, key, "repeated", f"East {fault}") == 1
    assert len(set(proxy.keys[:3])) == 1
    assert proxy.keys[0]


def test_a_custom_key_is_sent(proxy: FaultyProxy, key: str) -> None:
    assert run_program("client", proxy.base, key, "ownKey") is False
    assert proxy.keys == ["cart-77"]


def test_errors_include_code_field_and_request_id(running: Running, key: str) -> None:
    invalid, missing, stranger, away = run_program("client", running.base, key, "refused")
    assert (invalid["status"], invalid["code"], invalid["field"]) == (422, "INVALID_REQUEST", "type")
    assert invalid["id"]
    assert "commande" in missing["text"]
    assert stranger["status"] == 401
    assert away == {"name": "ConnectionFailed"}


def test_a_long_wait_is_left_to_the_caller(proxy: FaultyProxy, key: str) -> None:
    proxy.faults = [(429, {"Retry-After": "3600"})]
    assert run_program("client", proxy.base, key, "longWait")["status"] == 429


def test_a_dry_run_changes_nothing(running: Running, key: str) -> None:
    assert run_program("client", running.base, key, "dryRun") == 0


def test_paging_returns_every_order_once_while_new_ones_arrive(running: Running, key: str) -> None:
    met = run_program("client", running.base, key, "pages")
    assert {f"PAGE-{number}" for number in range(12)} <= set(met)
    assert len(met) == len(set(met))


def test_numbered_pages_are_followed_to_the_end(running: Running, key: str) -> None:
    assert run_program("client", running.base, key, "depots") is True


def test_a_group_can_be_imported_alone(running: Running, key: str) -> None:
    assert run_program("client", running.base, key, "group") is True


def test_a_label_is_downloaded(running: Running, key: str) -> None:
    assert run_program("client", running.base, key, "label") == "%PDF"


def test_signatures_of_webhooks_are_verified(running: Running, key: str) -> None:
    secret = generate_webhook_secret()
    given = {"body": BODY.decode(), "headers": signed(secret), "secret": secret, "now": NOW * 1000}
    genuine, *refused = run_program("client", running.base, key, "webhook", json.dumps(given))
    assert genuine["data"]["order"]["order_ref"] == "W-é"
    assert refused == [{"name": "WebhookRefused"}] * 3


def test_a_bundle_contains_only_used_modules() -> None:
    entry = compiled() / "one.js"
    entry.write_text('import { Haulier, createOrder } from "@haulier/client";\nconsole.log(Haulier, createOrder);\n')
    words = ("--bundle", "--format=esm", "--minify", "--log-level=error")
    bundle = run_node(str(FOLDER / "node_modules" / "esbuild" / "bin" / "esbuild"), str(entry), *words)
    assert len(bundle) < 6000
    assert "/v1/client/orderCreate" in bundle
    assert "/v1/orders" not in bundle


def test_the_package_has_no_runtime_dependencies() -> None:
    assert "dependencies" not in json.loads((FOLDER / "package.json").read_text())
