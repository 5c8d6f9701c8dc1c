"""Codes for users come from one maker; other random values have a reason."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "haulier"
MODULES = frozenset({"secrets", "random", "uuid"})
HARMLESS = frozenset({"secrets.compare_digest", "uuid.NAMESPACE_URL", "uuid.uuid5", "uuid.UUID"})
SEARCHES = ("solvers/", "simulation/")
"""Solvers search at random, and simulations make up a world."""
TOKENS = frozenset(
    {"secrets.token_bytes", "secrets.token_hex", "secrets.token_urlsafe", "random.uniform", "uuid.uuid4"}
)
MAKERS = {
    "kernel/values/one_time_codes.py": {"secrets.choice", "secrets.token_bytes"},
    "kernel/values/ids.py": {"secrets.randbits", "secrets.token_hex", "secrets.token_urlsafe"},
}
"""The maker of codes, and tracking numbers, which grow with time and have a check character."""
FOR_MACHINES = {
    "keys, salts and nonces": {
        "adapters/phone_pushes.py", "adapters/key_ring.py", "contexts/integrations/webhooks/rules.py",
        "api/mcp/confirmation.py", "kernel/pipeline/audit_digests.py", "kernel/values/sealing.py",
    },
    "names and passwords of processes and connections": {
        "adapters/mosquitto_channel.py", "cli/channel.py", "kernel/background/worker.py", "nodes.py",
    },
    "addresses, references and handles that programs pass on": {
        "adapters/carriers/ups/carrier.py", "contexts/customer_apps/registration/operations.py",
        "contexts/integrations/webhooks/operations.py", "contexts/messaging/campaigns/actions/dispatch.py",
        "contexts/messaging/campaigns/actions/contacts.py", "contexts/messaging/campaigns/jobs.py",
        "contexts/messaging/campaigns/operations/contacts.py", "contexts/oauth/grants/operations.py",
        "contexts/payments/online_payments/actions.py", "contexts/payments/provider_accounts/operations.py",
        "contexts/tracking/ingest/actions.py", "contexts/identity/accounts/rules.py",
    },
    "idempotency keys of forms": {
        "web/desk/acts.py", "web/desk/import_orders.py", "web/desk/bulk_actions.py", "web/desk/invoice_runs.py",
        "web/desk/module_switches.py", "web/desk/plans/planning.py", "web/desk/views.py", "web/desk/fleet.py",
        "web/desk/first_steps/steps.py", "web/desk/map_regions.py", "web/desk/new_order.py", "web/desk/payouts.py",
        "web/desk/invoices.py", "web/desk/pages.py", "web/desk/received_payments.py",
        "web/desk/ship.py", "web/desk/ship_batch.py", "web/desk/ship_order.py", "web/desk/warehouse.py",
    },
    "waiting times": {"adapters/sqlite_writer.py", "contexts/integrations/webhooks/jobs.py"},
}  # fmt: skip
"""Files whose random values no person reads, says or types."""


def random_values(tree: ast.Module) -> Iterator[str]:
    """Yield the members of random modules that a file uses."""
    modules: dict[str, str] = {"os": "os"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {each.asname or each.name: each.name for each in node.names if each.name in MODULES}
        if isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield from (f"{node.module}.{each.name}" for each in node.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            name = f"{modules[node.value.id]}.{node.attr}"
            if not name.startswith("os.") or name == "os.urandom":
                yield name


def used_by_file() -> dict[str, set[str]]:
    files = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    found = {name: {*random_values(ast.parse(path.read_text()))} - HARMLESS for name, path in files.items()}
    return {name: values for name, values in found.items() if values and not name.startswith(SEARCHES)}


def test_random_codes_have_one_generator_and_other_random_values_are_listed() -> None:
    used = used_by_file()
    machines = {name for names in FOR_MACHINES.values() for name in names}
    assert used.keys() == machines | MAKERS.keys()
    assert {name: used[name] for name in MAKERS} == MAKERS
    assert {name: used[name] - TOKENS for name in machines if used[name] - TOKENS} == {}


def test_a_file_that_generates_random_digits_is_detected() -> None:
    source = "import secrets as s\nfrom random import choice\npin = s.randbelow(10)\nkey = __import__('os')\n"
    assert {*random_values(ast.parse(source))} == {"secrets.randbelow", "random.choice"}
