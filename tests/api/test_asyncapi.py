"""The AsyncAPI document of device frames is valid, and real frames fit it."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.contexts.lockers.makers import make_cabinet
from tests.contexts.lockers.sockets import greeted
from tests.support.app import App

from haulier.api.devices.asyncapi import asyncapi_document
from haulier.app import registry
from haulier.contexts.lockers.public import LockerDevices

MOMENT = "2026-06-10T14:00:00Z"


@cache
def described() -> dict[str, Any]:
    return json.loads(json.dumps(asyncapi_document(registry(), LockerDevices())))


def parts_of(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        yield part
        for value in part.values():
            yield from parts_of(value)
    elif isinstance(part, list):
        for value in part:
            yield from parts_of(value)


def resolved(reference: str) -> Any:
    found: Any = described()
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


def faults(message: str, document: Any) -> list[str]:
    """Return what is wrong with a document by the payload of a message."""
    payload = resolved(f"#/components/messages/{message}")["payload"]
    schema = {**payload, "components": described()["components"]}
    return [error.message for error in Draft202012Validator(schema).iter_errors(document)]


def test_every_reference_resolves_and_every_component_is_used() -> None:
    references = {part["$ref"] for part in parts_of(described()) if isinstance(part.get("$ref"), str)}
    assert all(resolved(each) for each in references)
    for kind, components in described()["components"].items():
        assert {f"#/components/{kind}/{name}" for name in components} <= references, kind


def test_each_part_has_the_members_of_the_specification() -> None:
    whole = described()
    assert whole["asyncapi"] == "3.0.0"
    assert {"title", "version"} <= set(whole["info"])
    for server in whole["servers"].values():
        assert {"host", "protocol"} <= set(server)
    for channel in whole["channels"].values():
        named = {part.strip("{}") for part in channel["address"].split("/") if part.startswith("{")}
        assert named == set(channel.get("parameters", {}))
        assert channel["messages"]
    for operation in whole["operations"].values():
        assert operation["action"] in ("send", "receive")
        channel = operation["channel"]["$ref"]
        assert all(each["$ref"].startswith(f"{channel}/messages/") for each in operation["messages"])
        if reply := operation.get("reply"):
            assert all(each["$ref"].startswith(reply["channel"]["$ref"]) for each in reply["messages"])
    for schema in whole["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", LockerDevices.frame_types)
def test_a_frame_is_described_without_the_credential(name: str) -> None:
    schema = resolved(resolved(f"#/components/messages/{name}")["payload"]["$ref"])
    assert schema["properties"]["type"] == {"const": name}
    assert "credential" not in schema["properties"]
    assert schema["additionalProperties"] is False


async def test_frames_and_responses_of_a_connection_fit_the_description(app: App) -> None:
    cabinet = await make_cabinet(app)
    box = (await app.answer("admin", "list_locker_boxes", {"site_id": cabinet.site_id})).boxes[0]
    hello = {"type": "hello", "credential": cabinet.credential}
    assert not faults("hello", hello)
    socket = await greeted(app, cabinet.credential)
    await app.answer("admin", "open_locker_box", {"box_id": box.id, "reason": "a look"}, confirmed=True)
    (command,) = await socket.commands(1)
    assert not faults("command", command)
    for number, frame in enumerate(
        (
            {"type": "state", "session": "begin", "sent_at": MOMENT, "doors": [{"box": 1, "open": True}]},
            {"type": "poll"},
            {"type": "outcome", "command_id": command["id"], "outcome": "done"},
            {"type": "code", "code": "12345678"},
            {"type": "outcome", "command_id": 1_000_000, "outcome": "done"},
        ),
        1,
    ):
        said = {**frame, "sequence": number}
        assert not faults(frame["type"], said), frame
        socket.say(**said)
        assert not faults(f"{frame['type']}Answer", await socket.answer(number)), frame
    assert faults("state", {"type": "state", "sequence": 1, "credential": "x", "sent_at": MOMENT})
    await socket.cut()


async def test_the_server_serves_the_description(app: App) -> None:
    assert (await app.http.get("/api/asyncapi.json")).json() == described()
