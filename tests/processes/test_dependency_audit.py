"""The dependency audit reports findings, and fails if it cannot check."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAFE = {"name": "safe", "version": "1.0", "vulns": []}
SKIPPED = {"name": "skipped", "skip_reason": "not found"}
FLAWED = {"name": "flawed", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}]}
OFFLINE = "requests.exceptions.ProxyError: HTTPSConnectionPool(…): Max retries exceeded"


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", ROOT / "scripts" / "audit.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": packages})


def test_a_vulnerability_fails_and_is_named(audit: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.verdict(report(SAFE, FLAWED), "") == 1
    assert "flawed 1.0: PYSEC-1, fixed in 1.1" in capsys.readouterr().err


def test_no_vulnerabilities_pass(audit: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.verdict(report(SAFE), "") == 0
    assert "no known vulnerability in 1 packages" in capsys.readouterr().out


@pytest.mark.parametrize(("found", "said"), [(None, OFFLINE), (report(SKIPPED), "")], ids=["offline", "a mirror"])
def test_an_unreachable_advisory_service_is_reported_and_fails_only_if_required(
    audit: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, found: str | None, said: str
) -> None:
    monkeypatch.delenv("AUDIT", raising=False)
    assert audit.verdict(found, said) == 0
    assert "audit NOT RUN" in capsys.readouterr().out
    monkeypatch.setenv("AUDIT", "required")
    assert audit.verdict(found, said) == 1


@pytest.mark.parametrize(("found", "said"), [(None, "hashes do not match"), (report(SAFE, SKIPPED), "")])
def test_any_other_error_is_a_failure(audit: ModuleType, found: str | None, said: str) -> None:
    assert audit.verdict(found, said) == 1


def test_the_audit_is_part_of_the_check() -> None:
    check = next(line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("check:"))
    assert "audit" in check.split()
