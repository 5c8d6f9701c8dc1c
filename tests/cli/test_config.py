"""Commands that show and check settings."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from haulier.cli import app, main

URL = "postgresql://haulier:hunter2@db.example/haulier"
KEY = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in [name for name in os.environ if name.startswith("HAULIER_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return monkeypatch


def run(*words: str) -> str:
    ran = CliRunner().invoke(app, ["config", *words])
    assert ran.exit_code == 0, ran.output
    return ran.output


def shown(*words: str) -> dict[str, dict[str, Any]]:
    return {each["setting"]: each for each in json.loads(run("show", "--json"))}


def test_settings_are_shown_with_their_source_and_without_secrets(alone: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "haulier.toml").write_text('log_level = "error"\nagent_key = "hunter2"\n')
    (tmp_path / "url").write_text(URL)
    alone.setenv("HAULIER_DATABASE_FILE", str(tmp_path / "url"))
    alone.setenv("HAULIER_PORT", "8001")
    alone.setenv("HAULIER_STREAMS", "nats://user:hunter2@a:4222,nats://user:hunter2@b:4222")
    alone.setenv("HAULIER_GEOCODER", "pelias+https://geo.example?api_key=hunter2")
    found = shown()
    assert found["database"]["value"] == "postgresql://***@db.example/haulier"
    assert found["database"]["source"] == f"HAULIER_DATABASE_FILE ({tmp_path / 'url'})"
    assert found["log_level"] == {"setting": "log_level", "value": "error", "source": "haulier.toml"}
    assert found["port"] == {"setting": "port", "value": 8001, "source": "HAULIER_PORT"}
    assert found["host"]["source"] == "default"
    assert found["geocoder"]["value"] == "pelias+https://geo.example?***"
    assert found["agent_key"]["value"] == "***"
    assert "hunter2" not in run("show", "--json") + run("show")


def test_a_check_warns_about_unusual_settings(alone: pytest.MonkeyPatch) -> None:
    assert run("check") == "the settings are valid\n"
    alone.setenv("HAULIER_DATABASE", URL)
    alone.setenv("HAULIER_BASE_URL", "http://freight.example")
    output = run("check")
    assert [word for word in ("SECRETS_KEYS", "an https address", "HAULIER_MAIL") if word not in output] == []
    alone.setenv("HAULIER_SECRETS_KEYS", KEY)
    alone.setenv("HAULIER_BASE_URL", "https://freight.example")
    alone.setenv("HAULIER_MAIL", "smtps://mail.example")
    assert run("check") == "the settings are valid\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [("HAULIER_LANES", "parcels"), ("HAULIER_RATE_LIMIT_FACTORS", "logn=2"), ("HAULIER_SECRETS_KEYS", "short")],
)
def test_a_failed_check_prints_one_line(alone: pytest.MonkeyPatch, name: str, text: str) -> None:
    alone.setenv(name, text)
    alone.setattr("sys.argv", ["haulier", "config", "check"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert str(ended.value).startswith(f"haulier: setting '{name.removeprefix('HAULIER_').lower()}'")
    assert "\n" not in str(ended.value)


def test_rate_limits_are_listed_with_their_factors(alone: pytest.MonkeyPatch) -> None:
    def limits() -> dict[tuple[str, str, str], int]:
        rows = json.loads(run("rate-limits", "--json"))
        return {(row["operation"], "+".join(row["by"]), row["counts"]): row["times"] for row in rows}

    before = limits()
    assert before["login", "address", "failures"] == 60
    alone.setenv("HAULIER_RATE_LIMIT_FACTORS", "login=5,*=0.001")
    after = limits()
    assert after["login", "address", "failures"] == 300
    assert after["verify_document", "address", "calls"] == 1
    assert before.keys() == after.keys()
