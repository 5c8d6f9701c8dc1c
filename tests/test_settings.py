"""Settings come from the command line, the environment and a file, in this order."""

from pathlib import Path

import pytest

from haulier import settings
from haulier.settings import InvalidSetting


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_nobody_set_has_its_default() -> None:
    assert settings.load_settings().port == 8000


def test_the_environment_beats_the_file_and_the_command_line_beats_both(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "haulier.toml").write_text('port = 1111\nlog_level = "error"\n')
    assert settings.load_settings().port == 1111
    monkeypatch.setenv("HAULIER_PORT", "2222")
    assert settings.load_settings().port == 2222
    found = settings.load_settings(port=3333)
    assert (found.port, found.log_level) == (3333, "error")


@pytest.mark.parametrize(("name", "value"), [("HAULIER_PORT", "99999"), ("HAULIER_DATABASE", "mysql://x")])
def test_a_bad_value_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidSetting, match=name):
        settings.load_settings()


def test_a_misspelt_name_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAULIER_PROT", "8000")
    with pytest.raises(InvalidSetting, match="HAULIER_PROT"):
        settings.load_settings()


def test_an_unknown_name_in_the_file_is_named(elsewhere: Path) -> None:
    (elsewhere / "haulier.toml").write_text("prot = 1\n")
    with pytest.raises(InvalidSetting, match="prot"):
        settings.load_settings()


def test_what_depends_on_a_bad_value_is_not_named_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAULIER_PORT", "99999")
    with pytest.raises(InvalidSetting) as refused:
        settings.load_settings()
    assert [line.split()[1] for line in str(refused.value).splitlines()] == ["'port'"]
