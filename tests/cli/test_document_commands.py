"""`haulier document`: certificate, rotation and verification of files."""

from pathlib import Path

import pytest
from tests.support.databases import migrated_file
from typer.testing import CliRunner

from haulier.cli import app


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return migrated_file(tmp_path)


def said(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["document", *words])
    return result.exit_code, result.stdout.strip()


def test_the_certificate_is_created_once_and_its_key_is_readable_only_by_its_owner(
    database: str, tmp_path: Path
) -> None:
    code, first = said("certificate", "--database", database)
    assert (code, first.splitlines()[0]) == (0, "-----BEGIN CERTIFICATE-----")
    assert said("certificate", "--database", database) == (0, first)
    (key,) = (tmp_path / "var" / "signing").iterdir()
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_rotation_deletes_the_old_key(database: str, tmp_path: Path) -> None:
    _, first = said("certificate", "--database", database)
    assert said("rotate", "--database", database)[0] == 0
    _, second = said("certificate", "--database", database)
    assert first != second
    assert len(list((tmp_path / "var" / "signing").iterdir())) == 1


def test_a_foreign_file_is_not_genuine(database: str, tmp_path: Path) -> None:
    file = tmp_path / "other.pdf"
    file.write_bytes(b"%PDF-1.7 something else")
    assert said("verify", str(file), "--database", database) == (1, "unknown; the signature is by another issuer")
