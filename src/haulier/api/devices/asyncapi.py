"""AsyncAPI 3.0.0 description of the device frames, derived from their types."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic.json_schema import JsonSchemaMode, models_json_schema

from haulier.api.devices.frames import CREDENTIAL, SEQUENCE, TYPE, Devices, FrameKind
from haulier.api.devices.mqtt import PATH as MQTT_PATH
from haulier.api.devices.sockets import HELLO, PATH
from haulier.kernel.operations.answer_schema import answer_schemas
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.operations.registry import Registry

Schema = dict[str, Any]
SCHEMAS = "#/components/schemas/{name}"
ANSWER, COMMAND, SOCKET = "answer", "command", "socket"
QOS = {"mqtt": {"qos": 0, "retain": False, "bindingVersion": "0.2.0"}}
"""Frames are repeated until they are answered, and commands until they are completed. QoS 1 would add a second
acknowledgement and require the broker to store subscriptions, which NATS limits to about a thousand."""
_WHOSE = {
    "prefix": {"description": "First level of all topics of an installation.", "default": "haulier"},
    "client": {"description": "ID of the business."},
    "device": {"description": "ID of the device."},
}
_LEVELS = {
    "state": "State of a device: heartbeats, the first frame of a connection, and the last will.",
    "event": "All other frames of a device.",
    COMMAND: "Commands to a device. It executes each ID once, even if it is repeated, and starts nothing after `expires_at`.",
    ANSWER: "Result of a frame, with the `sequence` of the frame. The device repeats a frame without an answer.",
}


def asyncapi_document(registry: Registry, devices: Devices) -> Schema:
    """Return the AsyncAPI document.

    It describes the server, which receives frames and sends commands.
    """
    kinds = {name: (kind, registry[kind.operation]) for name, kind in devices.frame_types.items()}
    schemas = {**_frame_schemas(kinds), **_answer_schemas(kinds, devices), **_hello_schema()}
    messages = _messages(kinds)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Haulier devices",
            "version": "1.0",
            "description": "Messages of lockers and other devices over MQTT and WebSocket. Over HTTP the same frames are the"
            " bodies of requests and responses; see the OpenAPI document.",
        },
        "defaultContentType": "application/json",
        "servers": _servers(),
        "channels": _channels(kinds, devices.levels),
        "operations": _operations(kinds),
        "components": {
            "messages": messages,
            "schemas": schemas,
            "correlationIds": {
                SEQUENCE: {
                    "description": "Number of the frame, which the answer repeats.",
                    "location": f"$message.payload#/{SEQUENCE}",
                }
            },
        },
    }


Kinds = Mapping[str, tuple[FrameKind, Operation[Any, Any]]]


def _servers() -> Schema:
    host = {"host": {"description": "Host of the installation.", "default": "localhost"}}
    return {
        "broker": {
            "host": "{host}:8883",
            "protocol": "secure-mqtt",
            "protocolVersion": "3.1.1",
            "description": "POST /v1/device/channel returns the broker's addresses and a ticket: client identifier, name and"
            " password. MQTT 5 works if the broker supports it.",
            "variables": host,
        },
        "direct": {
            "host": "{host}",
            "pathname": MQTT_PATH,
            "protocol": "secure-mqtt",
            "protocolVersion": "5.0",
            "description": "The server itself, with MQTT 5 over WebSockets and without a broker. The password is the"
            " credential; user name and client identifier are free. CONNACK returns the prefix of topics as response"
            " information.",
            "variables": host,
        },
        "web": {
            "host": "{host}",
            "protocol": "wss",
            "description": "The server itself. The first frame contains the credential.",
            "variables": host,
        },
    }


def _channels(kinds: Kinds, levels: Iterable[str]) -> Schema:
    said = {level: [name for name, (kind, _) in kinds.items() if kind.topic == level] for level in levels}
    held = {**said, COMMAND: [COMMAND], ANSWER: [_answer_to(name) for name in kinds]}
    topics = {
        level: {
            "address": f"{{prefix}}/device/{{client}}/{{device}}/{level}",
            "description": _LEVELS[level],
            "servers": [{"$ref": "#/servers/broker"}, {"$ref": "#/servers/direct"}],
            "parameters": _WHOSE,
            "messages": _message_refs(names),
        }
        for level, names in held.items()
    }
    everything = [HELLO, *(name for names in held.values() for name in names)]
    socket = {
        "address": PATH,
        "description": "Frames in both directions, each a text message. The server closes a connection with 4401 if its"
        " credential is not valid.",
        "servers": [{"$ref": "#/servers/web"}],
        "messages": _message_refs(everything),
    }
    return {**topics, SOCKET: socket}


def _message_refs(names: Iterable[str]) -> Schema:
    return {name: {"$ref": f"#/components/messages/{name}"} for name in names}


def _operations(kinds: Kinds) -> Schema:
    said: Schema = {}
    for name, (kind, operation) in kinds.items():
        said[f"receive{name.title()}"] = {
            "action": "receive",
            "channel": {"$ref": f"#/channels/{kind.topic}"},
            "summary": operation.summary,
            "messages": [{"$ref": f"#/channels/{kind.topic}/messages/{name}"}],
            "bindings": QOS,
            "reply": {
                "channel": {"$ref": f"#/channels/{ANSWER}"},
                "messages": [{"$ref": f"#/channels/{ANSWER}/messages/{_answer_to(name)}"}],
            },
        }
    command = {
        "action": "send",
        "channel": {"$ref": f"#/channels/{COMMAND}"},
        "summary": "Have a device do something.",
        "messages": [{"$ref": f"#/channels/{COMMAND}/messages/{COMMAND}"}],
        "bindings": QOS,
    }
    hello = {
        "action": "receive",
        "channel": {"$ref": f"#/channels/{SOCKET}"},
        "summary": "A device shows whose the WebSocket is, first of all.",
        "messages": [{"$ref": f"#/channels/{SOCKET}/messages/{HELLO}"}],
    }
    return {**said, "sendCommand": command, "receiveHello": hello}


def _answer_to(name: str) -> str:
    return f"{name}Answer"


def _messages(kinds: Kinds) -> Schema:
    correlated = {"correlationId": {"$ref": f"#/components/correlationIds/{SEQUENCE}"}}
    frames = {
        name: _message(operation.summary, f"{operation.request.__name__}OnWire", **correlated)
        for name, (_, operation) in kinds.items()
    }
    answers = {
        _answer_to(name): _message(f"Result of a `{name}` frame.", f"{name.title()}Answer", **correlated)
        for name in kinds
    }
    return {
        **frames,
        **answers,
        COMMAND: _message("Command to the device.", "Command"),
        HELLO: _message("Credential of the device.", "Hello"),
    }


def _message(summary: str, schema: str, **more: Any) -> Schema:
    return {"summary": summary, "payload": {"$ref": SCHEMAS.format(name=schema)}, **more}


def _frame_schemas(kinds: Kinds) -> dict[str, Schema]:
    """Return the request schemas with `type`, without fields that the connection sets."""
    modes: list[tuple[type[Request], JsonSchemaMode]] = [(each.request, "validation") for _, each in kinds.values()]
    _, definitions = models_json_schema(modes, ref_template="#/components/schemas/{model}")
    schemas: dict[str, Schema] = dict(definitions["$defs"])
    for name, (kind, operation) in kinds.items():
        whole = schemas.pop(operation.request.__name__)
        hidden = {CREDENTIAL, *kind.fixed}
        properties = {key: part for key, part in whole["properties"].items() if key not in hidden}
        required = [key for key in whole.get("required", ()) if key not in hidden]
        schemas[f"{operation.request.__name__}OnWire"] = {
            **whole,
            "title": f"{operation.request.__name__}OnWire",
            "properties": {TYPE: {"const": name}, **properties},
            "required": [TYPE, *required],
        }
    return schemas


def _answer_schemas(kinds: Kinds, devices: Devices) -> dict[str, Schema]:
    _, components = answer_schemas([devices.push_type, *(each.answer for _, each in kinds.values())], SCHEMAS)
    command = components.pop(devices.push_type.__name__)
    command["properties"] = {**command["properties"], TYPE: {"const": COMMAND}}
    answers = {f"{name.title()}Answer": _answer_schema(name, each.answer.__name__) for name, (_, each) in kinds.items()}
    return {**components, **answers, "Command": command}


def _answer_schema(name: str, answer: str) -> Schema:
    return {
        "type": "object",
        "required": [TYPE, "to", SEQUENCE, "status", "answer", "error"],
        "properties": {
            TYPE: {"const": ANSWER},
            "to": {"const": name},
            SEQUENCE: {"type": ["integer", "null"]},
            "status": {"type": "integer", "description": "HTTP status: 200, or the status of the error."},
            "answer": {"anyOf": [{"$ref": SCHEMAS.format(name=answer)}, {"type": "null"}]},
            "error": {"type": ["object", "null"], "description": "Error, with the same body as over HTTP."},
        },
    }


def _hello_schema() -> dict[str, Schema]:
    properties = {TYPE: {"const": HELLO}, CREDENTIAL: {"type": "string"}}
    return {"Hello": {"type": "object", "required": [TYPE, CREDENTIAL], "properties": properties}}
