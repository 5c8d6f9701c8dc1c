"""Secrets reach operations unmasked, as texts and as form parts."""

from typing import Any, get_args

from pydantic import BaseModel, SecretBytes, SecretStr
from tests.support.examples import examples, fill_placeholders

from haulier.api.rest.multipart import read_multipart
from haulier.app import registry
from haulier.kernel.operations import codec

SECRET_TYPES = (SecretStr, SecretBytes)


def holds_secret(hint: Any) -> bool:
    """Return True if a field takes a secret or a list of secrets."""
    return (isinstance(hint, type) and issubclass(hint, SECRET_TYPES)) or any(map(holds_secret, get_args(hint)))


def revealed(value: Any) -> Any:
    """Return a value with its secrets in plain text."""
    if isinstance(value, SECRET_TYPES):
        return value.get_secret_value()
    if isinstance(value, BaseModel):
        return {name: revealed(getattr(value, name)) for name in value.model_fields_set}
    if isinstance(value, dict):
        return {name: revealed(each) for name, each in value.items()}
    return [revealed(each) for each in value] if isinstance(value, list) else value


def requests_with_secrets() -> list[tuple[str, type[Any], dict[str, Any], dict[str, str]]]:
    """Return each operation with secrets: name, request, other fields, secrets."""
    found: list[tuple[str, type[Any], dict[str, Any], dict[str, str]]] = []
    for operation in registry():
        example: dict[str, Any] = fill_placeholders(examples()[operation.name], {})
        fields = {about.alias or name: about for name, about in operation.request.model_fields.items()}
        secrets = {name: example[name] for name in example if holds_secret(fields[name].annotation)}
        texts = {name: value for name, value in secrets.items() if isinstance(value, str)}
        if texts:
            found.append(
                (operation.name, operation.request, {n: v for n, v in example.items() if n not in texts}, texts)
            )
    return found


def test_a_secret_beside_a_body_is_not_masked() -> None:
    masked: list[str] = []
    for name, kind, others, texts in requests_with_secrets():
        expected = revealed(codec.parse_request_values(kind, {**others, **texts}))
        beside = codec.parse_request(kind, codec.encode_json(others), texts)
        if revealed(beside) != expected:
            masked.append(name)
    assert masked == []


async def test_a_secret_in_a_part_of_a_form_is_not_masked() -> None:
    masked: list[str] = []
    for name, kind, others, texts in requests_with_secrets():
        fields = {
            key: value if isinstance(value, str) else codec.encode_json(value).decode() for key, value in others.items()
        }
        parts = "".join(
            f'--b\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{text}\r\n'
            for key, text in (fields | texts).items()
        )
        form = await read_multipart(f"{parts}--b--\r\n".encode(), "multipart/form-data; boundary=b", kind)
        sent = revealed(codec.parse_request(kind, form.body, form.texts))
        if any(sent[key] != text for key, text in texts.items()):
            masked.append(name)
    assert masked == []


def test_a_secret_in_a_repeated_parameter_is_not_masked() -> None:
    kind: Any = type("Codes", (registry()["login"].request,), {"__annotations__": {"codes": list[SecretStr]}})
    texts = {"email": "a@b.example", "password": "one", "codes": ["two", "3"]}
    assert revealed(codec.parse_request(kind, b"{}", texts)) == texts
