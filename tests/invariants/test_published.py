"""Published documents match the registry, so that changes are reviewed."""

from pathlib import Path

from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.support.descriptions import openapi

from haulier.app import registry
from haulier.cli.publish import (
    CARRIERS,
    LIFE_CYCLES,
    render_artefacts,
    render_carriers_reference,
    render_life_cycles,
    render_reference_pages,
)
from haulier.kernel.operations.declaration import Rest

FOLDER = Path(__file__).resolve().parents[2] / "published"


def test_published_artefacts_are_up_to_date() -> None:
    now = render_artefacts()
    drifted = [name for name, text in now.items() if (FOLDER / name).read_text() != text]
    assert not drifted, "run `make published` and look at the difference"
    assert {path.name for path in FOLDER.iterdir()} == set(now), "something else is published"


def test_the_published_life_cycles_match_the_code() -> None:
    assert (FOLDER.parent / LIFE_CYCLES).read_text() == render_life_cycles()


def test_the_published_carrier_codes_match_the_tables() -> None:
    assert (FOLDER.parent / CARRIERS).read_text() == render_carriers_reference()


def test_the_reference_of_operations_errors_and_events_is_up_to_date() -> None:
    now = {FOLDER.parent / page: text for page, text in render_reference_pages().items()}
    written = {path for page in now if page.parent.name != "reference" for path in page.parent.glob("*.md")}
    assert written <= set(now), "pages of something that is gone: run `make published`"
    drifted = [page.name for page, text in now.items() if page.read_text() != text]
    assert not drifted, "run `make published` and look at the difference"


def test_the_description_is_valid_openapi_3_1() -> None:
    description = openapi()
    OpenAPIV31SpecValidator(description).validate()
    assert (description["openapi"], description["info"]["version"]) == ("3.1.0", "1.0")


def test_every_rest_binding_is_described() -> None:
    described = {(m.upper(), path) for path, entry in openapi()["paths"].items() for m in entry}
    bound = [rest for rest, _ in registry().bindings(Rest)]
    event_stream = {("GET", rest.event_stream.path) for rest in bound if rest.event_stream}
    assert described == {(rest.method, rest.path) for rest in bound} | event_stream
