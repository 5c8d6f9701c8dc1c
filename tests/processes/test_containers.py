"""Dockerfile and compose.yaml match the service."""

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from scripts.prove_image import SECRETS, Image, allowed, resolved, steps
from scripts.stranger import Unproved
from typer.main import get_command

from haulier.cli import app
from haulier.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = list(steps((ROOT / "Dockerfile").read_text()))
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
OURS = [name for name, service in COMPOSE["services"].items() if service["image"] == "haulier"]


def of(word: str) -> list[str]:
    return [step.rest for step in DOCKERFILE if step.word == word]


def named(settings: list[str]) -> set[str]:
    return {name.removeprefix("HAULIER_").lower() for name in settings if name.startswith("HAULIER_")}


def test_the_image_copies_only_existing_files_that_are_not_ignored() -> None:
    own = [shlex.split(rest) for rest in of("COPY") if "--from" not in rest]
    sources = {source for words in own for source in words[:-1]}
    assert sources == allowed((ROOT / ".dockerignore").read_text())
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_the_image_installs_hashed_requirements_and_runs_unprivileged() -> None:
    (lock,) = [rest for rest in of("RUN") if "requirements.txt" in rest]
    assert "--require-hashes" in lock
    assert [rest for rest in of("USER") if not re.fullmatch(r"[1-9]\d*:[1-9]\d*", rest)] == []
    assert [step.word for step in DOCKERFILE].index("USER") > max(
        number for number, step in enumerate(DOCKERFILE) if step.word == "RUN"
    )


def test_image_and_service_variables_are_settings() -> None:
    (image,) = (dict(word.split("=", 1) for word in shlex.split(rest)) for rest in of("ENV"))
    assert image["HAULIER_LOG_FORMAT"] == "json"
    assert named(list(image)) <= Settings.model_fields.keys()
    for name in OURS:
        assert named(list(COMPOSE["services"][name]["environment"])) <= Settings.model_fields.keys()


def test_services_run_existing_commands() -> None:
    known: Any = get_command(app)
    assert json.loads(of("ENTRYPOINT")[0]) == ["haulier"]
    for words in (*(COMPOSE["services"][name]["command"] for name in OURS), json.loads(of("CMD")[0])):
        command = known
        for word in words:
            if not word.startswith("-") and hasattr(command, "commands"):
                command = command.commands[word]
        flags = {flag for each in command.params for flag in each.opts}
        assert {word for word in words if word.startswith("-")} <= flags


def test_every_service_waits_for_migrations_and_has_a_worker() -> None:
    services = COMPOSE["services"]
    for name in ("server", "worker"):
        assert services[name]["depends_on"] == {"migrations": {"condition": "service_completed_successfully"}}
    assert services["server"]["environment"]["HAULIER_BACKGROUND"] == "false"
    grace = Settings.model_fields["shutdown_grace_s"].default
    assert int(services["server"]["stop_grace_period"].removesuffix("s")) > 2 * grace


def test_every_service_has_limits_and_minimal_capabilities() -> None:
    services = resolved(COMPOSE, SECRETS)["services"]
    for name, service in services.items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert re.fullmatch(r"\d+g", service["mem_limit"]), name
        assert (service["memswap_limit"], service["pids_limit"]) == (service["mem_limit"], 512), name
    assert [name for name in OURS if services[name].get("cap_add")] == []


def test_server_and_worker_share_the_sealing_key() -> None:
    keys = {resolved(COMPOSE, SECRETS)["services"][name]["environment"]["HAULIER_SECRETS_KEYS"] for name in OURS}
    assert keys == {SECRETS["SECRETS_KEYS"]}


def test_no_password_is_in_the_files_and_a_missing_one_is_named() -> None:
    with pytest.raises(Unproved, match=r"PASSWORD: set it in \.env"):
        resolved(COMPOSE, {})
    filled = resolved(COMPOSE, SECRETS)
    assert SECRETS["DATABASE_PASSWORD"] in filled["services"]["server"]["environment"]["HAULIER_DATABASE"]
    assert filled["services"]["server"]["environment"]["HAULIER_BASE_URL"] == "http://127.0.0.1:8000"


def test_the_role_script_runs_and_creates_no_superuser() -> None:
    (mounted,) = [each.split(":")[0] for each in COMPOSE["services"]["db"]["volumes"] if each.endswith(":ro")]
    script = ROOT / mounted
    assert os.access(script, os.X_OK)
    assert "SUPERUSER" not in script.read_text()


def test_build_steps_are_parsed_across_lines_and_run_in_a_folder(tmp_path: Path) -> None:
    text = "# a comment\nFROM one\nWORKDIR /srv/haulier\nRUN echo a \\\n    > /srv/haulier/file\nENV A=b \\\n  C=d\n"
    image = Image(tmp_path)
    for step in steps(text):
        image.take(step)
    assert (tmp_path / "srv" / "haulier" / "file").read_text() == "a\n"
    assert image.variables == {"A": "b", "C": "d"}
    with pytest.raises(Unproved, match="ONBUILD"):
        image.take(next(steps("ONBUILD RUN true")))
    with pytest.raises(Unproved, match="ended with 1"):
        image.take(next(steps("RUN false")))
