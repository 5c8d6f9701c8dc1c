"""Settings come from the command line, the environment and a file, in this order."""

import os
from pathlib import Path

import pytest

from haulier import settings
from haulier.settings import InvalidSetting

ROOT = Path(__file__).resolve().parents[1]
KEY = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="
WRONG = {
    "port": "99999",
    "workers": "many",
    "demo": "perhaps",
    "server": "apache",
    "database": "mysql://x",
    "secrets_keys": "short",
    "otlp_endpoint": "foo",
    "modules": "lockrs",
    "rate_limit_factors": "login",
    "push_web_key": "short",
    "call_deadline_s": "0",
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("HAULIER_") and "TEST" not in name]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_unset_settings_have_defaults() -> None:
    assert settings.load_settings().port == 8000


def test_the_environment_overrides_the_file_and_the_command_line_overrides_both(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "haulier.toml").write_text('port = 1111\nlog_level = "error"\n')
    assert settings.load_settings().port == 1111
    monkeypatch.setenv("HAULIER_PORT", "2222")
    assert settings.load_settings().port == 2222
    found = settings.load_settings(port=3333)
    assert (found.port, found.log_level) == (3333, "error")


@pytest.mark.parametrize(("name", "value"), [("HAULIER_PORT", "99999"), ("HAULIER_DATABASE", "mysql://x")])
def test_an_invalid_value_is_reported(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidSetting, match=name):
        settings.load_settings()


def test_a_misspelled_name_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAULIER_PROT", "8000")
    with pytest.raises(InvalidSetting, match="HAULIER_PROT"):
        settings.load_settings()


def test_an_unknown_name_in_the_file_is_reported(elsewhere: Path) -> None:
    (elsewhere / "haulier.toml").write_text("prot = 1\n")
    with pytest.raises(InvalidSetting, match="prot"):
        settings.load_settings()


def test_values_derived_from_an_invalid_one_are_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAULIER_PORT", "99999")
    with pytest.raises(InvalidSetting) as refused:
        settings.load_settings()
    assert [line.split()[1] for line in str(refused.value).splitlines()] == ["'port'"]


@pytest.mark.parametrize("name", WRONG)
def test_an_invalid_value_is_reported_in_one_line_with_an_example(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(settings.variable_of(name), WRONG[name])
    with pytest.raises(InvalidSetting) as refused:
        settings.load_settings()
    line = str(refused.value)
    assert "\n" not in line
    assert line.endswith(f"Example: {settings.example_of(name)}")


def test_every_example_is_valid() -> None:
    for name in settings.Settings.model_fields:
        example = settings.example_of(name)
        assert example is not None, name
        if not str(example).startswith("the output"):
            settings.Settings.model_validate({name: example})


def test_an_error_does_not_show_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in sorted(settings.SECRETS):
        monkeypatch.setenv(settings.variable_of(name), "hunter2 hunter2")
        with pytest.raises(InvalidSetting) as refused:
            settings.load_settings() if name != "agent_key" else settings.load_settings(port=-1)
        assert "hunter2" not in str(refused.value)
        monkeypatch.delenv(settings.variable_of(name))


def test_a_secret_is_read_from_a_file_without_its_newline(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {"database": "postgresql://a:b@c/d", "secrets_keys": KEY}.items():
        (elsewhere / name).write_text(f"{text}\n")
        monkeypatch.setenv(f"{settings.variable_of(name)}_FILE", str(elsewhere / name))
    found = settings.load_settings()
    assert (found.database, found.secrets_keys) == ("postgresql://a:b@c/d", KEY)


def test_keys_whose_file_is_missing_are_read_later(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAULIER_SECRETS_KEYS_FILE", "late")
    assert settings.load_settings().secrets_keys == f"file:{elsewhere / 'late'}"


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"HAULIER_DATABASE_FILE": "url", "HAULIER_DATABASE": "sqlite:///x.db"}, "are both set. Set one of them."),
        ({"HAULIER_DATABASE_FILE": "missing"}, "cannot be read: No such file or directory"),
        ({"HAULIER_DATABASE_FILE": "."}, "cannot be read: Is a directory"),
        ({"HAULIER_DATABASE_FILE": "binary"}, "cannot be read: it is not UTF-8 text"),
        ({"HAULIER_PORT_FILE": "url"}, "Only secrets are read from files"),
        ({"HAULIER_PROT": "8000"}, "Did you mean HAULIER_PORT?"),
    ],
)
def test_an_unusable_file_is_reported_in_one_line(
    variables: dict[str, str], said: str, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "url").write_text("sqlite:///y.db")
    (elsewhere / "binary").write_bytes(b"\xff\xfe")
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    with pytest.raises(InvalidSetting) as refused:
        settings.load_settings()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_variables_of_kubernetes_services_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    links = {
        "HAULIER_SERVICE_HOST": "10.0.0.1",
        "HAULIER_SERVICE_PORT": "8000",
        "HAULIER_SERVICE_PORT_HTTP": "8000",
        "HAULIER_PORT": "tcp://10.0.0.1:8000",
        "HAULIER_PORT_8000_TCP": "tcp://10.0.0.1:8000",
        "HAULIER_PORT_8000_TCP_PROTO": "tcp",
        "HAULIER_PORT_8000_TCP_PORT": "8000",
        "HAULIER_PORT_8000_TCP_ADDR": "10.0.0.1",
        "HAULIER_METRICS_SERVICE_HOST": "10.0.0.2",
        "HAULIER_METRICS_PORT": "tcp://10.0.0.2:9464",
    }
    for name, text in links.items():
        monkeypatch.setenv(name, text)
    assert settings.load_settings().port == 8000


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAULIER_MAIL", "")
    assert settings.load_settings().mail is None


def test_child_processes_use_the_same_settings_and_secrets_stay_in_files(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "key").write_text(KEY)
    (elsewhere / "url").write_text("postgresql://a:b@c/d")
    for name in settings.Settings.model_fields:  # restored afterwards
        monkeypatch.setenv(settings.variable_of(name), "")
    monkeypatch.setenv("HAULIER_SECRETS_KEYS_FILE", str(elsewhere / "key"))
    monkeypatch.setenv("HAULIER_DATABASE_FILE", str(elsewhere / "url"))
    given = settings.load_settings(database="sqlite:///other.db", port=8001)
    settings.export_settings(given)
    assert settings.load_settings() == given
    assert os.environ["HAULIER_SECRETS_KEYS"] == ""
    assert "HAULIER_DATABASE_FILE" not in os.environ


def test_the_guide_lists_every_setting() -> None:
    guide = (ROOT / "docs" / "operate" / "settings.md").read_text()
    assert [name for name in settings.Settings.model_fields if f"`{name}`" not in guide] == []
