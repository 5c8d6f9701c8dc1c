"""`haulier otep` with files and pipes, without a server or database."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.contexts.otep.posted_documents import posted_codes, posted_event, posted_timeline
from tests.support.every_case import for_every
from tests.support.shared import shared
from typer.testing import CliRunner

from haulier.cli import app
from haulier.contexts.otep.projections import FORMATS
from haulier.contexts.otep.timeline.rules.parser import parse_timeline
from haulier.kernel.operations.codec import encode_json

VALID = posted_codes("picked_up", "delivered")
INVALID = posted_timeline(posted_event("delivred"), posted_event("in_transit", 1, **{"mood[red]": "good"}))


PATIENCE_S = 180


class Ran(NamedTuple):
    """Exit code and output of a command."""

    returncode: int
    stdout: str
    stderr: str


def haulier(*words: str, given: str | None = None) -> Ran:
    """Run the command in this process, with `given` as standard input."""
    ran = CliRunner().invoke(app, ["otep", *words], input=given)
    assert ran.exception is None or isinstance(ran.exception, SystemExit), "a traceback"
    return Ran(ran.exit_code, ran.stdout, ran.stderr)


def process(*words: str, given: str | None = None, folder: Path | None = None) -> Ran:
    """Run the command in a separate process."""
    command = [sys.executable, "-m", "haulier", "otep", *words]
    ran = subprocess.run(command, input=given, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S)
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def make_file(folder: Path, document: Any) -> str:
    path = folder / "timeline.json"
    path.write_text(json.dumps(document))
    return str(path)


def test_a_valid_file_is_reported_as_valid(tmp_path: Path) -> None:
    ran = process("validate", make_file(tmp_path, VALID), folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "valid, level 1 (errors: 0, warnings: 0)" in ran.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["timeline.json"], "it leaves nothing behind"


def test_an_invalid_file_lists_all_errors_and_exits_with_1(tmp_path: Path) -> None:
    ran = haulier("validate", make_file(tmp_path, INVALID))
    assert ran.returncode == 1
    assert "invalid (errors: 1, warnings: 1)" in ran.stdout
    for words in ("$.events[0].status_code", "Did you mean delivered?", "$.events[1]['mood[red]']"):
        assert words in ran.stdout


def test_standard_input_is_supported_and_json_output_matches_the_service() -> None:
    ran = haulier("validate", "-", "--json", "--language", "de", given=json.dumps(INVALID))
    answer = json.loads(ran.stdout)
    assert (ran.returncode, answer["valid"], answer["level"]) == (1, False, 0)
    assert answer["errors"][0] == {
        "path": "$.events[0].status_code",
        "code": "UNKNOWN_CODE",
        "message": "Unbekannter Statuscode delivred im Profil parcel.",
        "hint": "Meinten Sie delivered?",
    }


def test_level_2_requires_a_named_projection() -> None:
    ran = haulier("validate", "-", "--projection", "epcis", given=json.dumps(VALID))
    assert "valid, level 2" in ran.stdout
    unknown = haulier("validate", "-", "--projection", "telex", given=json.dumps(VALID))
    assert (unknown.returncode, "telex" in unknown.stderr) == (2, True)


@pytest.mark.parametrize("format", ["otep", "epcis", "aftership"])
def test_a_timeline_can_be_converted_to_another_format(format: str, tmp_path: Path) -> None:
    ran = haulier("project", make_file(tmp_path, VALID), "--format", format, "--base-url", "https://h.example")
    assert (ran.returncode, ran.stderr) == (0, "")
    expected = encode_json(FORMATS[format].project(parse_timeline(VALID), "https://h.example"))
    assert json.loads(ran.stdout) == json.loads(expected)


def test_a_projection_is_valid_in_the_other_standard() -> None:
    import jsonschema

    schema = json.loads(shared("standards/epcis/EPCIS-JSON-Schema.json").read_text())
    ran = haulier("project", "-", "--format", "epcis", given=json.dumps(VALID))
    jsonschema.Draft7Validator(schema).validate(json.loads(ran.stdout))


def test_an_invalid_timeline_is_not_converted() -> None:
    ran = process("project", "-", "--format", "epcis", given=json.dumps(INVALID))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "Did you mean delivered?" in ran.stderr


@for_every(
    ("words", "given", "said"),
    [
        (("validate", "-"), "{nope", "not valid JSON"),
        (("validate", "-"), "", "not valid JSON"),
        (("validate", "-"), "NaN", "not valid JSON"),
        (("validate", "nowhere.json"), None, "nowhere.json"),
        (("validate",), None, "FILE"),
        (("project", "-", "--format", "telex"), "{}", "telex"),
        (("project", "-"), "{}", "--format"),
    ],
)
def test_an_impossible_command_exits_with_2_and_no_traceback(
    words: tuple[str, ...], given: str | None, said: str
) -> None:
    ran = haulier(*words, given=given)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


@for_every("document", ["[]", "null", '{"events":[1e999]}', "[" * 150 + "]" * 150])
def test_any_json_file_gets_a_validation_result(document: str) -> None:
    ran = haulier("validate", "-", "--json", given=document)
    assert (ran.returncode, json.loads(ran.stdout)["valid"]) == (1, False)
