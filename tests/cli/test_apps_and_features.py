"""Operator commands for apps, opt-in features and passwords."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.processes.server_process import query_rows
from tests.support.app import App, make_app
from tests.support.databases import migrated_file
from tests.support.every_case import for_every
from typer.testing import CliRunner

from haulier.cli import app as command_line

Run = Callable[..., str]
AT = {"appCode": "customer-app", "clientCode": "demo"}
ADDED = ("app", "add", "customer-app", "--name", "Parcels")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return migrated_file(tmp_path)


@pytest.fixture
def run(url: str) -> Run:
    """Return a function that runs a command and returns its output on one line."""

    def run(*words: str, fails: bool = False) -> str:
        ran = CliRunner().invoke(command_line, [*words, "--database", url])
        assert (ran.exit_code != 0) is fails, ran.output
        return " ".join(ran.output.replace("│", " ").split())

    return run


def within(url: str, ask: Callable[[App], Any]) -> Any:
    """Query an application that uses the same database."""

    async def asked() -> Any:
        async with make_app(url) as app:
            return await ask(app)

    return asyncio.run(asked())


def demo(run: Run) -> None:
    run("user", "add", "boss@demo.example", "--client", "shop", "--password", "four long words here", "--name", "Bo")


def test_an_app_can_be_added_enabled_and_removed(run: Run, url: str) -> None:
    demo(run)
    assert run(*ADDED).startswith("app ")
    assert run("app", "offer", "customer-app", "--client", "shop") == "shop offers customer-app"
    assert run("app", "offer", "customer-app", "--client", "shop") == "shop offers customer-app (unchanged)"

    async def opened(app: App) -> Any:
        return await app.call(None, "app_bootstrap", {**AT, "clientCode": "shop"})

    told = within(url, opened).answer.data
    assert (told.app.type, told.authentication.methods.email, told.authentication.methods.idp) == (
        "customer",
        True,
        False,
    )
    assert run("app", "withdraw", "customer-app", "--client", "shop") == "shop does not offer customer-app"
    assert query_rows(url, "SELECT enabled, version FROM platform_app_client") == [(0, 2)]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("app customer-app already exists", ADDED),
        ("unknown type tractor", ("app", "add", "other", "--name", "x", "--type", "tractor")),
        (
            "set both options or neither",
            ("app", "add", "other", "--name", "x", "--idp-issuer", "https://identity.example"),
        ),
        ("unknown app nothing", ("app", "offer", "nothing", "--client", "shop")),
        ("client nobody", ("app", "offer", "customer-app", "--client", "nobody")),
        ("unknown client nobody", ("feature", "revoke", "sms_marketing", "--client", "nobody")),
        ("sms_marketing", ("feature", "revoke", "sms", "--client", "shop")),
    ],
)
def test_an_impossible_command_is_explained_in_a_sentence(run: Run, said: str, words: tuple[str, ...]) -> None:
    demo(run)
    run(*ADDED)
    assert said in run(*words, fails=True)


def test_a_disabled_family_returns_409_and_cannot_be_enabled(run: Run, url: str) -> None:
    demo(run)
    assert run("feature", "revoke", "sms_marketing", "--client", "shop") == "sms_marketing revoked from shop"
    [(shop,)] = query_rows(url, "SELECT id FROM client WHERE code = 'shop'")
    token = run("token", "issue", "boss@demo.example", "--profile", "full")

    async def switched_on(app: App) -> Any:
        app.tokens["boss"] = token
        return await app.call("boss", "set_feature", {"feature": "sms_marketing", "enabled": True})

    refused = within(url, switched_on)
    assert (refused.status, refused.error["code"], refused.error["feature_enabled"]) == (409, "FEATURE_REVOKED", False)
    assert run("feature", "restore", "sms_marketing", "--client", "shop") == "sms_marketing restored for shop"
    assert shop


@pytest.mark.parametrize(
    ("password", "said"),
    [
        ("short", "at least 10 characters"),
        ("aaaaaaaaaaaa", "same few characters"),
        ("boss-or-no-boss", "email address"),
    ],
)
def test_a_weak_password_is_refused_as_at_the_interface(run: Run, url: str, password: str, said: str) -> None:
    words = ("user", "add", "boss@demo.example", "--client", "shop", "--password", password)
    assert said in run(*words, fails=True)
    assert query_rows(url, "SELECT count(*) FROM client") == [(0,)], "nothing was left half done"


@for_every("words", [("app", "offer"), ("app", "withdraw"), ("app", "add"), ("feature", "revoke")])
def test_every_command_has_a_description(words: tuple[str, ...]) -> None:
    ran = CliRunner().invoke(command_line, [*words, "--help"])
    assert ran.exit_code == 0
    assert "Usage" in ran.output
