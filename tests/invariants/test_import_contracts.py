"""The import contract of private contexts refuses exactly the forbidden imports."""

import grimp
import pytest
from scripts.contracts import ContextsArePrivate, undeclared_ties, violation

ORDERS = "haulier.contexts.orders.delivery_orders"
FORBIDDEN = [
    ("haulier.contexts.routes.stops.queries", f"{ORDERS}.queries"),
    ("haulier.contexts.routes.stops.operations", f"{ORDERS}.operations.query"),
    ("haulier.contexts.routes.stops.actions", "haulier.contexts.orders.ports"),
    ("haulier.contexts.routes.stops.store", f"{ORDERS}.store.tables"),
    ("haulier.contexts.routes.stops.store", "haulier.contexts.orders"),
    ("haulier.contexts.routes.stops.store", ORDERS),
    ("haulier.contexts.orders.batches.operations", f"{ORDERS}.store"),
    ("haulier.contexts.orders.batches.operations", f"{ORDERS}.store.tables"),
    ("haulier.contexts.orders.batches.store", f"{ORDERS}.store.orders"),
    ("haulier.contexts.orders.public", f"{ORDERS}.store"),
    ("haulier.web.pages.sign_in", f"{ORDERS}.actions.create"),
    ("haulier.adapters.mailer", f"{ORDERS}.contract"),
    ("haulier.demo.orders", f"{ORDERS}.contract"),
    ("haulier.simulation.day", "haulier.contexts.orders.public"),
    ("haulier.api.rest.app", "haulier.contexts.orders.public"),
]
ALLOWED = [
    ("haulier.contexts.routes.stops.queries", "haulier.contexts.orders.public"),
    ("haulier.contexts.routes.jobs", "haulier.contexts.orders.events"),
    ("haulier.contexts.routes.stops.contract", f"{ORDERS}.contract"),
    ("haulier.contexts.routes.stops.rules", f"{ORDERS}.rules.lifecycle"),
    ("haulier.contexts.orders.batches.operations", f"{ORDERS}.actions.create"),
    ("haulier.contexts.orders.batches.store", f"{ORDERS}.store.tables"),
    ("haulier.contexts.orders.batches.store.rows", "haulier.contexts.orders.quotes.store"),
    (f"{ORDERS}.operations.query", f"{ORDERS}.store"),
    ("haulier.web.pages.sign_in", f"{ORDERS}.operations.query"),
    ("haulier.adapters.mailer", "haulier.contexts.identity.ports"),
    ("haulier.app", f"{ORDERS}.store"),
    (f"{ORDERS}.store", "haulier.kernel.data.statements"),
]


def test_imports_of_a_contexts_internals_are_refused() -> None:
    assert [pair for pair in FORBIDDEN if violation("haulier", *pair) is None] == []


def test_imports_of_a_contexts_public_interface_are_allowed() -> None:
    assert [pair for pair in ALLOWED if violation("haulier", *pair)] == []


def graph_of(*imports: tuple[str, str]) -> grimp.ImportGraph:
    graph = grimp.ImportGraph()
    graph.add_module("haulier.contexts")
    for importer, imported in imports:
        graph.add_import(importer=importer, imported=imported, line_number=7, line_contents="import")
    return graph


def contract(**options: object) -> ContextsArePrivate:
    return ContextsArePrivate("privacy", {"root_packages": ["haulier"]}, {"root": "haulier", **options})


def test_a_forbidden_import_breaks_the_contract_and_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    checked = contract().check(graph_of(*ALLOWED, FORBIDDEN[0]), verbose=False)
    assert not checked.kept
    contract().render_broken_contract(checked)
    assert f"{FORBIDDEN[0][0]} -> {FORBIDDEN[0][1]} (l.7)" in " ".join(capsys.readouterr().out.split())


def test_allowed_imports_and_listed_exceptions_keep_the_contract() -> None:
    importer, imported = FORBIDDEN[3]
    checked = contract(ignore_imports=[f"{importer} -> {imported}"]).check(
        graph_of(*ALLOWED, (importer, imported)), False
    )
    assert checked.kept
    assert checked.ignored_import_count == 1


LOCKERS, SHIPPING = "haulier.contexts.lockers.public", "haulier.contexts.shipping.public"
UNDECLARED = [
    ("haulier.contexts.orders.public", LOCKERS),
    ("haulier.server", "haulier.web.pages.kiosk"),
    ("haulier.contexts.driver_app.proof.actions", "haulier.contexts.driver_app.locker_stops.queries"),
    (LOCKERS, SHIPPING),
]
DECLARED = [
    (LOCKERS, "haulier.contexts.orders.public"),
    ("haulier.contexts.driver_app.locker_stops.queries", LOCKERS),
    ("haulier.contexts.storage.public", SHIPPING),
    ("haulier.parts.shipping", SHIPPING),
]


@pytest.mark.parametrize("pair", UNDECLARED)
def test_importing_an_undeclared_module_is_refused(pair: tuple[str, str]) -> None:
    assert [line.split(":")[0] for line in undeclared_ties("haulier", graph_of(pair))] == [" -> ".join(pair)]


def test_a_module_cannot_be_imported_through_an_adapter() -> None:
    adapter = "haulier.adapters.phone_pushes"
    found = graph_of(("haulier.server", adapter), (adapter, "haulier.contexts.chat.ports"))
    assert list(undeclared_ties("haulier", found)) == [
        f"{adapter} -> haulier.contexts.chat.ports: the core does not require chat"
    ]


def test_imports_of_required_modules_and_of_the_core_are_allowed() -> None:
    assert list(undeclared_ties("haulier", graph_of(*DECLARED))) == []
