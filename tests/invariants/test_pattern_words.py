"""Text formats are explained in words in every language, never as a regex."""

from collections.abc import Iterator
from typing import Any

from tests.support.app import App

from haulier.app import registry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.pattern_words import pattern_words


def patterns(schema: Any) -> Iterator[str]:
    """Yield every pattern of a JSON Schema."""
    if isinstance(schema, dict):
        if isinstance(pattern := schema.get("pattern"), str):
            yield pattern
        for part in schema.values():
            yield from patterns(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from patterns(part)


def test_every_request_pattern_has_a_description() -> None:
    found = {pattern for operation in registry() for pattern in patterns(operation.request.model_json_schema())}
    assert len(found) > 20
    wordless = [
        (pattern, language)
        for pattern in sorted(found)
        for language in SUPPORTED_LANGUAGES
        if pattern_words(pattern)[0] not in Catalogues().words(language) or "pattern" in pattern_words(pattern)[1]
    ]
    assert wordless == []


async def told(app: App, operation: str, values: dict[str, Any], language: str = "en") -> dict[str, str]:
    outcome = await app.call(None, operation, values, accept_language=language)
    assert outcome.error
    return {fault["field"]: fault["message"] for fault in outcome.error["errors"]}


async def test_addresses_and_versions_are_described_in_plain_language(app: App) -> None:
    app_of_demo = {"appCode": "customer-app", "clientCode": "demo"}
    device = {"device_id": "d", "device_platform": "ios", "app_version": "one"}
    faults = await told(app, "sign_in_to_app_with_email", {**app_of_demo, **device, "email": "ada", "password": "x"})
    assert faults["email"] == "Expected an email address, such as ada@example.com."
    assert faults["app_version"] == "Expected a version, such as 1.4.0."
    faults = await told(app, "sign_in_to_app_with_email", {**app_of_demo, **device, "email": "ada"}, "de")
    assert faults["email"] == "E-Mail-Adresse erwartet, etwa ada@example.com."


async def test_an_empty_secret_is_reported_as_required(app: App) -> None:
    asked = {"appCode": "a", "clientCode": "demo", "device_id": "d", "device_platform": "ios", "id_token": ""}
    assert (await told(app, "sign_in_to_app_with_idp", asked))["id_token"] == "This field is required."
