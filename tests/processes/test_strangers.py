"""Checks of an installation find errors and cover every extra."""

import tomllib
from pathlib import Path

import pytest
from scripts.prove_install import alone
from scripts.stranger import LOGIN, ROOT, Unproved, environment, readable, run, serving

SAID = f"Haulier is running on http://127.0.0.1:8000\n{LOGIN['password']}\n  {LOGIN['email']}  client admin\n"


def test_every_extra_is_used() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {file.stem for file in (ROOT / "scripts" / "extras").glob("*.py")} == extras.keys()


def test_a_clean_environment_contains_none_of_our_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HAULIER_DATABASE", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV", "MAKEFLAGS"):
        monkeypatch.setenv(name, "ours")
    assert "ours" not in environment().values()


def test_a_text_of_only_records_is_unreadable() -> None:
    readable(SAID)
    with pytest.raises(Unproved, match="1 JSON records"):
        readable(f'{SAID}{{"event": "create_order"}}\n')
    with pytest.raises(Unproved, match="its output lacks"):
        readable("Application startup complete.\n")


def test_an_undeclared_package_is_detected(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'pip==1'\necho 'Named_One==1'\necho 'greenlet==3'\n")
    python.chmod(0o755)
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("named-one==1 \\\n    --hash=sha256:0\n")
    with pytest.raises(Unproved, match=r"requirements\.txt: greenlet$"):
        alone(python, requirements)


def test_a_failure_shows_its_output(tmp_path: Path) -> None:
    with pytest.raises(Unproved, match="ended with 3:\nno luck"):
        run("sh", "-c", "echo no luck; exit 3", at=tmp_path)
    with (
        pytest.raises(Unproved, match="before serving a page:\nno luck"),
        serving("sh", "-c", "echo no luck; exit 3", at=tmp_path),
    ):
        pass
