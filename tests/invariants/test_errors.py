"""Every declared error, in all languages and in real calls.

`uncovered_errors.txt` lists the errors that no call here can meet, one per line with the reason. The list is exact: a
new error is either met here or added with a reason.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from string import Formatter
from types import SimpleNamespace
from typing import Any

import pytest
from tests.contexts.customer_apps.openid_provider import run_openid_provider
from tests.invariants.business import AS, actor
from tests.invariants.error_scenarios import any_operation, apps_scenes
from tests.invariants.error_scenarios.at_doors import MEETINGS
from tests.invariants.error_scenarios.in_answers import told
from tests.invariants.error_scenarios.runner import Attempts, list_unmet_errors
from tests.invariants.example_requests import make_request_for
from tests.support.app import App

import haulier
from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues, PluralMessage
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, Feature
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import NOT_FOUND, list_error_types

SOURCE = Path(haulier.__file__).parent
UNCOVERED_LIST = Path(__file__).with_name("uncovered_errors.txt")
WHY_NOT = {
    (name, code): why
    for name, code, why in (line.split(maxsplit=2) for line in UNCOVERED_LIST.read_text().splitlines())
}
UNCOVERED = WHY_NOT.keys()
ANY = "any"
"""Stands in the list for an operation where no particular one is meant."""
DECLARED = {(operation.name, problem.code) for operation in registry() for problem in operation.errors}
OF = [
    import_module(f"tests.invariants.error_scenarios.{path.stem}")
    for path in sorted(Path(__file__).parent.glob("error_scenarios/*_scenes.py"))
]
"""A file for each context or family: `scene(app)` sets up what `attempts(ids)` then meets."""
NOBODY = 2**40
ONE_OF = {
    "complete_registration": {"password": "a-long-enough-password"},
    "otep_client_tracking": {"tracking_number": "HL0000000000000"},
    "get_credit_statement": {"customer_id": 1},
    "get_driver_info": {"driver_id": 1},
    "get_driver_routes_today": {"driver_id": 1},
    "hand_over_stops": {"driver_id": 1},
    "hand_over_pickup": {"recipient": "Ada"},
    "correct_order": {"cod_minor": 100},
    "create_device_order": {"customer_id": 9**9},
    "book_luggage": {"customer_id": 9**9},
    "reserve_locker_lease": {"customer_id": 9**9},
    "set_shop_settings": {"walk_in_customer_id": 1},
    "preview_tax": {"customer_id": 9**9},
    "test_shipping_rules": {"order_id": 1},
    "create_payment": {"purpose": "storage_order", "subject_id": 1},
}
"""Fields of a request in addition to the required ones."""
CATALOGUES = Catalogues()


def nowhere(operation: Operation[Any, Any]) -> dict[str, Any]:
    """Return a plausible request about missing records."""
    known = {"clientCode": "nowhere", "guide": "nowhere", **ONE_OF.get(operation.name, {})}
    return _nowhere(make_request_for(operation, known))


def _nowhere(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _nowhere(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_nowhere(each, name.removesuffix("s")) for each in value]
    is_id = isinstance(value, int) and not isinstance(value, bool) and (name == "id" or name.endswith(("_id", "Id")))
    return NOBODY if is_id else value


def met_by_themselves() -> Attempts:
    """Return the missing-record error of every operation that declares it."""
    told = {(o.name, NOT_FOUND.code): o for o in registry() if NOT_FOUND in o.errors}
    explicit = explained()
    return {
        place: (actor(o, AS), nowhere(o))
        for place, o in told.items()
        if place not in UNCOVERED and place not in explicit
    }


def explained() -> set[tuple[str, str]]:
    """Return the errors that a scene explains how to meet."""
    anything: dict[str, Any] = defaultdict(int)
    return {place for each in OF for place in each.attempts(anything)}


def test_every_possible_refusal_is_tested_or_listed() -> None:
    """Include errors that no operation declares, such as those of interfaces."""
    met = {
        code for _, code in explained() | met_by_themselves().keys() | any_operation.attempts(defaultdict(int)).keys()
    }
    met |= MEETINGS.keys() | told(SimpleNamespace(ids=defaultdict(int)), defaultdict(int)).keys()
    nowhere = {code for name, code in UNCOVERED if name == ANY}
    assert {problem.code for problem in list_error_types()} - met == nowhere


def test_every_refusal_of_an_operation_is_tested_or_listed() -> None:
    met = explained() | met_by_themselves().keys() | (any_operation.limited().keys() & DECLARED)
    assert sorted(met & UNCOVERED) == [], "met after all: take these out of uncovered_errors.txt"
    assert sorted(DECLARED - met - UNCOVERED) == [], "meet these, or name them in uncovered_errors.txt"
    named = {place for place in UNCOVERED if place[0] != ANY}
    assert sorted((met | named) - DECLARED) == [], "no operation declares these"
    assert [place for place, why in WHY_NOT.items() if len(why) < 20] == [], "say why"
    assert UNCOVERED_LIST.read_text().splitlines() == sorted(UNCOVERED_LIST.read_text().splitlines())


async def test_missing_records_are_reported_in_every_language(app: App) -> None:
    app.tokens["provider"] = (await app.answer("admin", "issue_provider_key", {"name": "p"})).key
    await app.answer("admin", "create_driver", {"name": "Dan", "user_id": app.ids["driver"]})
    for feature in Feature:
        await app.answer("admin", "set_feature", {"feature": feature.value, "enabled": True})
    assert await list_unmet_errors(app, met_by_themselves()) == []


async def test_refusals_of_apps_are_declared(app: App) -> None:
    with run_openid_provider() as provider:
        assert await list_unmet_errors(app, apps_scenes.attempts(await apps_scenes.scene(app, provider))) == []


@pytest.mark.parametrize("of", [each for each in OF if each is not apps_scenes], ids=lambda of: of.__name__[21:])
async def test_refusals_of_operations_are_declared(app: App, of: Any) -> None:
    assert await list_unmet_errors(app, of.attempts(await of.scene(app))) == []


async def test_only_declared_errors_are_returned(app: App) -> None:
    """Call operations with unknown records, and expect declared or common errors."""
    app.tokens["provider"] = (await app.answer("admin", "issue_provider_key", {"name": "p"})).key
    for feature in Feature:
        await app.answer("admin", "set_feature", {"feature": feature.value, "enabled": True})
    common = {code for _, code in any_operation.attempts(defaultdict(int))}
    surprises: list[Any] = []
    for operation in registry():
        rehearsed = {"dry_run": operation.effect is Effect.WRITE}
        outcome = await app.call(actor(operation, AS), operation.name, nowhere(operation), **rehearsed)
        code = outcome.error and outcome.error["code"]
        if code and code not in common and (operation.name, code) not in DECLARED:
            surprises.append((operation.name, code))
    assert surprises == []


async def test_errors_common_to_all_calls_are_complete(app: App) -> None:
    assert await list_unmet_errors(app, any_operation.attempts(await any_operation.scene(app))) == []


async def test_an_exhausted_limit_is_reported_by_every_limited_operation(app: App) -> None:
    app.tokens["provider"] = (await app.answer("admin", "issue_provider_key", {"name": "p"})).key
    for feature in Feature:
        await app.answer("admin", "set_feature", {"feature": feature.value, "enabled": True})
    app.application.rate_limiter = any_operation.UsedUp()
    asked = {place: (actor(operation, AS), nowhere(operation)) for place, operation in any_operation.limited().items()}
    assert await list_unmet_errors(app, asked) == []


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
def test_a_refusal_is_complete_in_every_language(language: str) -> None:
    """Render as interfaces do: a translation per language, with no open placeholder."""
    wrong: list[Any] = []
    for problem in list_error_types():
        body = render_error(problem(**dict.fromkeys(placeholders(problem.id), 7)), CATALOGUES, language, "req")
        own = language == "en" or body["message"] != render_error(problem(), CATALOGUES, "en", "req")["message"]
        if body["message"] == problem.id or re.search(r"[{}]", body["message"]) or not own:
            wrong.append((problem.id, body["message"]))
    assert wrong == []


def placeholders(message_id: str) -> set[str]:
    """Return the placeholders of a message of the catalogues."""
    words = CATALOGUES.words("en").get(message_id, "")
    forms = words.forms if isinstance(words, PluralMessage) else (words,)
    return {name for form in forms for _, name, _, _ in Formatter().parse(form) if name}


def raised(path: Path) -> Iterator[tuple[str, str, set[str]]]:
    """Yield name, line and filled placeholders of each error raised by name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        named = (
            node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "for_fields" else node.func
        )
        keywords = {keyword.arg for keyword in node.keywords}
        if isinstance(named, ast.Name) and None not in keywords:
            yield named.id, f"{path.relative_to(SOURCE)}:{node.lineno}", {k for k in keywords if k}


def test_every_raised_refusal_has_all_values_of_its_message() -> None:
    """Include errors that no test meets."""
    ids: dict[str, str] = {}
    for path in SOURCE.rglob("*.py"):
        ids |= dict(re.findall(r'^([A-Z][A-Z_]+) = declare_error\("(\w+)"', path.read_text(), re.MULTILINE))
    assert len(ids) > 50
    some_name = re.compile(rf"\b(?:{'|'.join(ids)})\b")
    raising = [path for path in SOURCE.rglob("*.py") if some_name.search(path.read_text())]
    seen = [(name, line, given) for path in raising for name, line, given in raised(path) if name in ids]
    assert len(seen) > 100
    by_default = {problem.id: problem.params.keys() for problem in list_error_types()}
    short = [(line, name, placeholders(ids[name]) - given - by_default[ids[name]]) for name, line, given in seen]
    assert [each for each in short if each[2]] == []
