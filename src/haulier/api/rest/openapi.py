"""OpenAPI 3.1.0 document of the REST API, derived from the registry."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any, cast

from msgspec.json import decode, encode
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from haulier.api.rest.shared_components import remove_default_titles, share_parameters
from haulier.kernel.i18n.choices import choice_names, hint_messages
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE, SUPPORTED_LANGUAGES, Catalogues
from haulier.kernel.operations.answer_schema import answer_schemas
from haulier.kernel.operations.declaration import DocumentRequest, EventStream, Operation, Request, Rest
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.registry import Registry
from haulier.kernel.operations.resources import resources_of
from haulier.kernel.operations.schema_notes import add_reference_notes, choices_in
from haulier.kernel.operations.wanted_values import describe_wanted

SCHEMA_REF = "#/components/schemas/{name}"
RESPONSE_REF = "#/components/responses/{name}"
API_TITLE = "Haulier"
Schema = dict[str, Any]

FIELD_FAULT: Schema = {
    "type": "object",
    "description": "Error of one field.",
    "required": ["field", "code", "message"],
    "properties": {
        "field": {"type": "string", "examples": ["order_ids.0"]},
        "code": {"type": "string", "examples": ["MISSING"]},
        "message": {"type": "string"},
    },
}
ERROR_BODY: Schema = {
    "type": "object",
    "description": "Error. `message` is in the language of `Accept-Language`; `code` is stable.",
    "required": ["result", "message", "code", "errors", "request_id"],
    "properties": {
        "result": {"type": "boolean", "const": False},
        "message": {"type": "string"},
        "code": {"type": "string", "examples": ["INVALID_REQUEST"]},
        "errors": {"type": "array", "items": {"$ref": SCHEMA_REF.format(name="FieldFault")}},
        "hint": {
            "type": "string",
            "description": "Suggested next step, in the caller's language.",
        },
        "next": {
            "type": "array",
            "description": "Operations named in `hint`.",
            "items": {"type": "string"},
        },
        "request_id": {"type": "string"},
    },
}
ERRORS = {"ErrorBody": ERROR_BODY, "FieldFault": FIELD_FAULT}
"""Error schemas of every operation. Not named `Error`, which is a built-in name in TypeScript."""


@lru_cache(maxsize=8)
def openapi_document(registry: Registry, base_url: str = "") -> Schema:
    """Return the OpenAPI document, with paths relative to `{base_url}/api`.

    The result is cached and must not be modified.
    """
    bound = list(registry.bindings(Rest))
    operations = list({operation.name: operation for _, operation in bound}.values())
    requests, answers = _request_schemas(operations), _answer_schemas(operations)
    paths: dict[str, Any] = {}
    for rest, operation in bound:
        entry = _operation_entry(registry, rest, operation, requests, answers)
        paths.setdefault(rest.path, {})[rest.method.lower()] = entry
        if rest.event_stream:
            paths.setdefault(rest.event_stream.path, {})["get"] = _event_stream_entry(rest.event_stream, entry)
    components = {**requests.components, **answers.components, **_document_components(operations), **ERRORS}
    responses = _error_responses(paths)
    schemas = _referenced_components({"paths": paths, "responses": responses}, components)
    description = {
        "openapi": "3.1.0",
        "info": {
            "title": API_TITLE,
            "version": "1.0",
            "description": "Transport management that delivery businesses run themselves.",
            "contact": {"name": "Haulier contributors"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": f"{base_url}/api"}],
        "tags": list(_tags(bound)),
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": responses,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}, **_token_headers(bound)},
        },
    }
    plain = decode(encode(description))  # a default of () becomes []
    add_reference_notes(plain, resources_of(registry))
    remove_default_titles(plain)
    share_parameters(plain)
    plain["x-haulier"] = {"resources": dict(_resources(registry)), "choices": _choice_names(plain)}
    return plain


def openapi_of_tag(document: Schema, tag: str) -> Schema:
    """Return the operations of a tag with the components that they use."""
    paths = {
        path: kept
        for path, item in document["paths"].items()
        if (kept := {method: entry for method, entry in item.items() if tag in entry["tags"]})
    }
    components: dict[str, Schema] = {"securitySchemes": document["components"]["securitySchemes"]}
    waiting: list[Any] = [paths]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            members: Mapping[str, Any] = part
            if isinstance(reference := members.get("$ref"), str):
                kind, name = reference.removeprefix("#/components/").split("/")
                if name not in components.setdefault(kind, {}):
                    components[kind][name] = document["components"][kind][name]
                    waiting.append(components[kind][name])
            waiting += members.values()
        elif isinstance(part, list):
            waiting += cast(list[Any], part)
    tags = [each for each in document["tags"] if each["name"] == tag]
    return {**document, "tags": tags, "paths": paths, "components": components}


@lru_cache(maxsize=1)
def field_translations() -> Schema:
    """Return the translations of field descriptions, by English sentence."""
    catalogues = Catalogues()
    others = [tag for tag in SUPPORTED_LANGUAGES if tag != DEFAULT_LANGUAGE]
    return {text: {tag: catalogues.translate(tag, id) for tag in others} for text, id in hint_messages().items()}


def _resources(registry: Registry) -> Iterator[tuple[str, Schema]]:
    """Yield each resource with its operations and its name in every language."""
    catalogues = Catalogues()
    for resource in resources_of(registry):
        roles: dict[str, list[str]] = {}
        actions = (*resource.makes, *resource.acts, *resource.bulk, *resource.looks)
        for operation in (resource.listing, resource.record, *actions):
            if operation and registry.get(operation.name):
                named = roles.setdefault(resource.role_of(operation), [])
                named += [operation.name] if operation.name not in named else []
        words = {tag: catalogues.words(tag).get(f"noun.{resource.key}") for tag in SUPPORTED_LANGUAGES}
        names = {tag: word for tag, word in words.items() if word}
        if roles:
            yield resource.key, {"ids": list(resource.ids), "operations": roles, **({"names": names} if names else {})}


def _choice_names(description: Schema) -> dict[str, dict[str, str]]:
    """Return the names of choice codes in every language."""
    catalogues, codes = Catalogues(), sorted(set(choices_in(description)))
    named = {code: choice_names(catalogues, code) for code in codes}
    return {code: names for code, names in named.items() if names}


class _SchemaSet:
    def __init__(self, of: dict[Any, Schema], components: dict[str, Schema]) -> None:
        self.of = of
        self.components = components


def _request_schemas(operations: Iterable[Operation[Any, Any]]) -> _SchemaSet:
    kinds = list(dict.fromkeys(operation.request for operation in operations))
    modes: list[tuple[type[Request], JsonSchemaMode]] = [(kind, "validation") for kind in kinds]
    references, definitions = models_json_schema(modes, ref_template="#/components/schemas/{model}")
    of = {kind: references[(kind, "validation")] for kind in kinds}
    return _SchemaSet(of, definitions.get("$defs", {}))


def _answer_schemas(operations: Iterable[Operation[Any, Any]]) -> _SchemaSet:
    kinds = list(dict.fromkeys(operation.answer for operation in operations))
    schemas, components = answer_schemas(kinds, SCHEMA_REF)
    return _SchemaSet(dict(zip(kinds, schemas, strict=True)), components)


def _document_components(operations: Iterable[Operation[Any, Any]]) -> dict[str, Schema]:
    """Return the titled schemas of documents sent as bodies, by title."""
    documents = [operation.request for operation in operations if issubclass(operation.request, DocumentRequest)]
    schemas = [schema for request in documents for schema in request.media_types.values()]
    return {schema["title"]: dict(schema) for schema in schemas if "title" in schema}


def _referenced_components(document: Schema, components: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return the components that parts of the document refer to."""
    # Requests of GET operations are parameters. As components they would be unused types, and generators give them
    # conflicting names (docs/decisions/interfaces.md).
    found: dict[str, Schema] = {}
    waiting: list[Any] = [document]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            members: Mapping[str, Any] = part
            name = str(members.get("$ref", "")).removeprefix(SCHEMA_REF.format(name=""))
            if name in components and name not in found:
                found[name] = components[name]
                waiting.append(components[name])
            waiting += members.values()
        elif isinstance(part, (list, tuple)):
            parts: Iterable[Any] = part
            waiting += parts
    return found


def _operation_entry(
    registry: Registry, rest: Rest, operation: Operation[Any, Any], requests: _SchemaSet, answers: _SchemaSet
) -> Schema:
    entry: Schema = {
        "operationId": _operation_id(rest, operation),
        "summary": operation.summary,
        "description": operation.description,
        "tags": _operation_areas(rest, operation),
        "parameters": list(_operation_parameters(rest, operation, requests)),
        "responses": _operation_responses(rest, operation, answers.of[operation.answer]),
        "x-haulier": {
            "effect": operation.effect.value,
            "risk": operation.risk.value,
            "scopes": sorted(operation.scopes),
            "audience": sorted(operation.audience),
        },
    }
    if operation.reversed_by:
        entry["x-haulier"]["reversed_by"] = operation.reversed_by
    if operation.available_when:
        entry["x-haulier"]["available_when"] = {
            member: describe_wanted(wanted) for member, wanted in operation.available_when.items()
        }
    if resource := resources_of(registry).of_operation.get(operation.name):
        entry["x-haulier"] |= {"resource": resource.key, "role": resource.role_of(operation)}
    if body := _request_body(rest, operation, requests):
        entry["requestBody"] = body
    if operation.deprecation:
        entry["deprecated"] = True
    entry["security"] = [] if operation.public else [{"bearer": []}]
    if rest.token_header:
        entry["security"].append({rest.token_header: []})
    if rest.token_query:
        entry["security"].append({_query_scheme(rest.token_query): []})
    return entry


def _token_headers(bound: Iterable[tuple[Rest, Operation[Any, Any]]]) -> Schema:
    """Return the alternative headers and query parameters for tokens."""
    rests = [rest for rest, _ in bound]
    headers = sorted({rest.token_header for rest in rests if rest.token_header})
    queries = sorted({rest.token_query for rest in rests if rest.token_query})
    return {
        **{name: {"type": "apiKey", "in": "header", "name": name} for name in headers},
        **{_query_scheme(name): {"type": "apiKey", "in": "query", "name": name} for name in queries},
    }


def _query_scheme(parameter: str) -> str:
    return f"{parameter}_in_query"


def _event_stream_entry(event_stream: EventStream, entry: Schema) -> Schema:
    """Return the live variant of a list, answered with server-sent events."""
    stream = {"text/event-stream": {"schema": {"type": "string"}}}
    responses = {status: response for status, response in entry["responses"].items() if status not in {"200", "304"}}
    return {
        **entry,
        "operationId": f"{entry['operationId']}_live",
        "summary": f"{entry['summary']} Live.",
        "description": f"`{event_stream.records}` as server-sent events: existing records, then new ones as they are added.",
        "parameters": [parameter for parameter in entry["parameters"] if parameter["name"] not in event_stream.fixed],
        "responses": {"200": {"description": "Stream of events.", "content": stream}, **responses},
    }


def _operation_id(rest: Rest, operation: Operation[Any, Any]) -> str:
    """Return a unique operation id: the name, numbered from the second binding on."""
    place = [interface for interface in operation.interfaces if isinstance(interface, Rest)].index(rest)
    return f"{operation.name}_{place + 1}" if place else operation.name


def _operation_areas(rest: Rest, operation: Operation[Any, Any]) -> list[str]:
    """Return the area of an operation; empty if it belongs to no family."""
    area = rest.area or operation.area
    return [area.value] if area else []


def _tags(bound: Iterable[tuple[Rest, Operation[Any, Any]]]) -> Iterator[Schema]:
    """Yield the areas by name, described by their families."""
    families: dict[str, dict[str, None]] = {}
    for rest, operation in bound:
        for area in _operation_areas(rest, operation):
            families.setdefault(area, {})[operation.family_summary] = None
    for area, summaries in sorted(families.items()):
        yield {"name": area, "description": " ".join(summaries)}


def _path_parameter_names(rest: Rest) -> list[str]:
    return [segment[1:-1] for segment in rest.path.split("/") if segment.startswith("{")]


def _has_body(rest: Rest) -> bool:
    return rest.method in {"POST", "PUT", "PATCH"}


def _request_properties(operation: Operation[Any, Any], requests: _SchemaSet) -> tuple[dict[str, Schema], set[str]]:
    reference = requests.of[operation.request]
    schema = requests.components[reference["$ref"].rsplit("/", 1)[1]] if "$ref" in reference else reference
    return schema.get("properties", {}), set(schema.get("required", ()))


def _operation_parameters(rest: Rest, operation: Operation[Any, Any], requests: _SchemaSet) -> Iterator[Schema]:
    properties, required = _request_properties(operation, requests)
    named = _path_parameter_names(rest)
    for name in named:
        yield {"name": name, "in": "path", "required": True, "schema": _as_parameter(properties[name])}
    for name, header in rest.headers.items():
        yield {"name": header, "in": "header", "required": name in required, "schema": _as_parameter(properties[name])}
    rest_of = [name for name in properties if name not in {*named, *rest.headers}]
    for name in rest.query if _has_body(rest) else rest_of:
        schema = _as_parameter(properties[name])
        yield {"name": name, "in": "query", "required": name in required, "schema": schema}
    if operation.effect is Effect.WRITE:
        yield {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "Unique key of the request. A retry with the same key returns the first response."
            if operation.replayable
            else "Unique key of the request. The response holds a secret that is shown once: a retry with the same key "
            "returns 409 `ANSWER_NOT_REPEATED` with the IDs of existing records.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
        }


def _as_parameter(schema: Schema) -> Schema:
    """Return the schema of a path, query or header field, which cannot be null."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == len(schema.get("anyOf", ())):
        return schema
    around = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**(choices[0] if len(choices) == 1 else {"anyOf": choices}), **around}


def _request_body(rest: Rest, operation: Operation[Any, Any], requests: _SchemaSet) -> Schema | None:
    if not _has_body(rest) or not operation.request.model_fields:
        return None
    if issubclass(operation.request, DocumentRequest):
        types = operation.request.media_types.items()
        return {"required": True, "content": {name: {"schema": _document_schema(schema)} for name, schema in types}}
    # The body can also specify the form of the answer. The query takes precedence.
    form = rest.representations.field if rest.representations else None
    aside = {*_path_parameter_names(rest), *rest.query, *rest.headers} - {form}
    schema = requests.of[operation.request]
    properties, required = _request_properties(operation, requests)
    if rest.body:
        return {"required": rest.body in required, "content": {"application/json": {"schema": properties[rest.body]}}}
    if aside:
        inside = {name: part for name, part in properties.items() if name not in aside}
        if not inside:
            return None
        schema = {
            "type": "object",
            "additionalProperties": False,
            "properties": inside,
            "required": sorted(required - aside),
        }
    needed = any(info.is_required() for name, info in operation.request.model_fields.items() if name not in aside)
    return {"required": needed, "content": {"application/json": {"schema": schema}}}


def _document_schema(schema: Mapping[str, Any]) -> Schema:
    return {"$ref": SCHEMA_REF.format(name=schema["title"])} if "title" in schema else dict(schema)


def _operation_responses(rest: Rest, operation: Operation[Any, Any], answer: Schema) -> Schema:
    statuses = {400, 413, 415, 422, 429, 500, 503} | {problem.status for problem in operation.errors}
    if not operation.public:
        statuses |= {401, 403}
    elif operation.effect is Effect.READ:
        statuses |= {401}  # an invalid token is rejected wherever it is read
    if _path_parameter_names(rest):
        statuses |= {404}
    if operation.effect is Effect.WRITE or operation.feature:
        statuses |= {409}
    content: Schema = {"application/json": {"schema": answer}}
    if rest.representations:
        statuses |= {406}
        content |= {
            offer.media_type: {"schema": _file_schema(offer.media_type)}
            for offer in rest.representations.options
            if offer.media_type not in content
        }
    responses: Schema = {str(rest.status): {"description": "Success.", "content": content}}
    if RANGE_HEADER in rest.headers.values():
        bare = {media_type: part for media_type, part in content.items() if media_type != "application/json"}
        responses["206"] = {"description": "Requested range.", "content": bare}
    if operation.http:
        responses["304"] = {"description": "Not modified since the caller's copy."}
    return responses | {
        str(status): {"$ref": RESPONSE_REF.format(name=_response_name(status))} for status in sorted(statuses)
    }


def _file_schema(media_type: str) -> Schema:
    """Return the schema of a response that is not JSON: text, or bytes."""
    is_text = media_type.startswith("text/") or media_type.endswith(("xml", "zpl"))
    return {"type": "string"} if is_text else {"type": "string", "format": "binary"}


def _error_responses(paths: Schema) -> Schema:
    """Return the error responses that operations refer to, by name."""
    entries = [entry for path in paths.values() for entry in path.values()]
    statuses = {int(status) for entry in entries for status, part in entry["responses"].items() if "$ref" in part}
    content = {"application/json": {"schema": {"$ref": SCHEMA_REF.format(name="ErrorBody")}}}
    return {
        _response_name(status): {
            "description": _STATUS_DESCRIPTIONS.get(status, HTTPStatus(status).phrase + "."),
            "content": content,
        }
        for status in sorted(statuses)
    }


def _response_name(status: int) -> str:
    """Return the standard phrase of a status as a component name (`NotFound`)."""
    return _STATUS_NAMES.get(status) or HTTPStatus(status).phrase.title().replace(" ", "").replace("-", "")


RANGE_HEADER = "Range"
_STATUS_NAMES = {413: "ContentTooLarge", 416: "RangeNotSatisfiable", 422: "UnprocessableContent"}
"""Names of RFC 9110 that Python versions spell differently."""
_STATUS_DESCRIPTIONS = {
    400: "The request cannot be processed.",
    401: "The token is missing or invalid.",
    403: "The caller is not allowed to do this.",
    404: "The record does not exist or belongs to another account.",
    406: "None of the available formats is acceptable.",
    409: "The request conflicts with the current state.",
    413: "The body is too large.",
    415: "The media type of the body is not supported.",
    416: "The range starts after the end.",
    422: "The request is invalid. `errors` lists each invalid field.",
    429: "Too many requests. Retry after the time in `Retry-After`.",
    500: "Internal error.",
    503: "Temporarily unavailable.",
}
