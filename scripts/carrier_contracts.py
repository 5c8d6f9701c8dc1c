"""Extraction of public carrier contracts for the tests.

Run `python -m scripts.carrier_contracts --ups DIR --shipengine FILE …`. `tests/adapters/carriers/contracts` holds the
schemas of the operations used by the connectors as JSON Schema 2020-12, without descriptions and examples. This script
creates those files from checkouts of the carriers' repositories (see the README in that folder); run it again for a
newer contract. EasyPost publishes no schema: fields and types of its documents are taken from recordings of its own
client.
"""

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import yaml

CONTRACTS = Path(__file__).parents[1] / "tests" / "adapters" / "carriers" / "contracts"
UPS = {
    "OAuthClientCredentials": ["POST /security/v1/oauth/token"],
    "Rating": ["POST /rating/{version}/{requestoption}"],
    "Shipping": [
        "POST /shipments/{version}/ship",
        "DELETE /shipments/{version}/void/cancel/{shipmentidentificationnumber}",
        "POST /labels/{version}/recovery",
    ],
    "Tracking": ["GET /track/v1/details/{inquiryNumber}"],
    "Pickup": ["POST /pickupcreation/{version}/pickup", "DELETE /shipments/{version}/pickup/{CancelBy}"],
    "AddressValidation": ["POST /addressvalidation/{version}/{requestoption}"],
}
"""Operations used by the connectors, by contract file."""
SHIPENGINE = [
    "POST /v1/rates",
    "GET /v1/labels",
    "POST /v1/labels",
    "GET /v1/labels/external_shipment_id/{external_shipment_id}",
    "PUT /v1/labels/{label_id}/void",
    "GET /v1/labels/{label_id}/track",
    "GET /v1/manifests",
    "POST /v1/manifests",
    "POST /v1/pickups",
    "DELETE /v1/pickups/{pickup_id}",
    "POST /v1/addresses/validate",
    "GET /v1/carriers",
]
EASYPOST = {
    r"/v2/(shipments|orders|pickups|batches)/[^/]+": r"/v2/\1/{id}",
    r"/v2/(shipments|orders|pickups)/[^/]+/(buy|refund|cancel)": r"/v2/\1/{id}/\2",
    r"/v2/(shipments|orders|pickups|batches|scan_forms|trackers|addresses)": r"/v2/\1",
}
"""Paths of recorded calls, and their form in the result."""
EASYPOST_CALLS = frozenset(
    (
        "POST /v2/shipments",
        "GET /v2/shipments/{id}",
        "POST /v2/shipments/{id}/buy",
        "POST /v2/shipments/{id}/refund",
        "POST /v2/orders",
        "GET /v2/orders/{id}",
        "POST /v2/orders/{id}/buy",
        "POST /v2/scan_forms",
        "GET /v2/trackers",
        "POST /v2/batches",
        "GET /v2/batches/{id}",
        "POST /v2/pickups",
        "GET /v2/pickups/{id}",
        "POST /v2/pickups/{id}/buy",
        "POST /v2/pickups/{id}/cancel",
        "POST /v2/addresses",
    )
)
"""The recorded calls that the connectors also make."""
SINGULAR = {
    "from_address": "address",
    "to_address": "address",
    "return_address": "address",
    "buyer_address": "address",
    "shipments": "shipment",
    "selected_rate": "rate",
    "rates": "rate",
    "pickup_rates": "pickup_rate",
    "trackers": "tracker",
    "customs_items": "customs_item",
}
"""Fields with a different object name."""
KINDS = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
}
LIMITS = frozenset(
    ("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "uniqueItems", "multipleOf")
)
KEPT = frozenset(("type", "format", "enum", "pattern", "required", "additionalProperties")) | LIMITS
"""Schema keywords that are kept."""
JOINING = frozenset(("allOf", "oneOf", "anyOf"))
HOLDING = JOINING | {"properties", "items"}
"""Schema keywords that contain other schemas."""
Document = dict[str, Any]


class Contract:
    """An OpenAPI file, read as JSON Schema.

    A schema with `additionalProperties: false` that is part of another one through `allOf` would reject the properties
    of the other parts. Parts are therefore open, under separate names, and the combined schema is closed.
    """

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.content = content
        self.schemas: Document = {}

    def operations(self, wanted: Iterable[str], base: str) -> Document:
        """Return operations with paths that begin with `base`, and collect `schemas`."""
        found: Document = {}
        for operation in wanted:
            method, path = operation.split(" ")
            item = self.content["paths"][path]
            described = item[method.lower()]
            parameters = [
                self._resolved(each) for each in (*item.get("parameters", ()), *described.get("parameters", ()))
            ]
            answers = described["responses"].items()
            found[f"{method} {base}{path}"] = {
                "parameters": [self._parameter(each) for each in parameters],
                "request": self._content(self._resolved(described.get("requestBody", {}))),
                "answers": {str(status): self._content(self._resolved(answer)) for status, answer in answers},
            }
        return found

    def _resolved(self, part: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in part:
            place: Any = self.content
            for step in part["$ref"].removeprefix("#/").split("/"):
                place = place[step]
            part = place
        return part

    def _parameter(self, described: Mapping[str, Any]) -> Document:
        kept = {name: described[name] for name in ("name", "in")}
        return kept | {"required": bool(described.get("required")), "schema": self._schema(described.get("schema", {}))}

    def _content(self, described: Mapping[str, Any]) -> Document | None:
        """Return the schema of a JSON or form body; None if it is not described."""
        for kind, content in described.get("content", {}).items():
            if "json" in kind or "form" in kind:
                return self._schema(content.get("schema", {}))
        return None

    def _is_closed(self, schema: Mapping[str, Any]) -> bool:
        found = self._resolved(schema)
        return found.get("additionalProperties") is False or any(map(self._is_closed, found.get("allOf", ())))

    def _is_given_by_carrier(self, schema: Mapping[str, Any], name: str) -> bool:
        """Return True if a property is read-only, so only responses may require it."""
        return bool(self._resolved(schema.get("properties", {}).get(name, {})).get("readOnly"))

    def _schema(self, schema: Any, *, part: bool = False) -> Any:
        """Convert an OpenAPI 3.0 schema to JSON Schema 2020-12 without descriptions.

        `part` marks a part of another schema.
        """
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return {"$ref": f"#/components/schemas/{self._kept(schema['$ref'].rpartition('/')[2], part)}"}
        together = self._is_closed(schema) and any(each in schema for each in JOINING)
        found = {name: self._kept_part(schema, name, part or together) for name in schema if name in KEPT | HOLDING}
        if together or part:
            found.pop("additionalProperties", None)
        if together and not part:
            found["unevaluatedProperties"] = False
        return {"anyOf": [found, {"type": "null"}]} if schema.get("nullable") else found

    def _kept_part(self, schema: Mapping[str, Any], name: str, joined: bool) -> Any:
        value = schema[name]
        if name in JOINING:
            return [self._schema(each, part=joined) for each in value]
        if name == "properties":
            return {each: self._schema(property_) for each, property_ in value.items()}
        if name == "items":
            return self._schema(value)
        if name == "required":
            return [each for each in value if not self._is_given_by_carrier(schema, each)]
        return value

    def _kept(self, name: str, part: bool) -> str:
        kept = f"{name}+" if part else name
        if kept not in self.schemas:
            self.schemas[kept] = {}  # a schema may contain itself
            self.schemas[kept] = self._schema(self.content["components"]["schemas"][name], part=part)
        return kept


def read_contract(path: Path, wanted: Iterable[str], base: str = "") -> Document:
    """Return the reduced contract of a file."""
    contract = Contract(yaml.load(path.read_text(), yaml.CSafeLoader))
    return {"operations": contract.operations(wanted, base), "schemas": contract.schemas}


def recorded(cassettes: Iterable[Path]) -> Document:
    """Return the fields of each kind of object in recordings, with their value types.

    Requests and responses are separate.
    """
    found: Any = {side: defaultdict(lambda: defaultdict(set)) for side in ("request", "answer")}
    for cassette in sorted(cassettes):
        for exchange in yaml.load(cassette.read_text(), yaml.CSafeLoader)["interactions"]:
            operation = easypost_operation(exchange["request"]["method"], exchange["request"]["uri"])
            if not operation or exchange["response"]["status"]["code"] >= 300:
                continue
            sides = ("request", exchange["request"]["body"]), ("answer", exchange["response"]["body"]["string"])
            for side, text in sides:
                outermost: str = operation if side == "request" else answered_thing(operation)
                for thing, name, kind in fields_of(json.loads(text or "{}"), outermost):
                    found[side][thing][name].add(kind)
    return {
        side: {thing: {name: sorted(kinds) for name, kinds in fields.items()} for thing, fields in things.items()}
        for side, things in found.items()
    }


def fields_of(value: Any, thing: str) -> Iterator[tuple[str, str, str]]:
    """Yield each field of a document: kind of object, name and value type.

    An object is named after the field that holds it, and the outermost one `thing`.
    """
    if isinstance(value, list):
        for each in value:
            yield from fields_of(each, thing)
    elif isinstance(value, dict):
        for name, each in cast("dict[str, Any]", value).items():
            yield thing, name, KINDS[type(each)]
            yield from fields_of(each, SINGULAR.get(name) or name)


def answered_thing(operation: str) -> str:
    """Return the kind of object in a response; a list is named after the operation."""
    part = operation.split("/")[2]
    return {"batches": "batch", "addresses": "address", "trackers": operation}.get(part, part.removesuffix("s"))


def easypost_operation(method: str, address: str) -> str | None:
    """Return the name of a call in `easypost.json`; None if it is not used."""
    path = "/v2/" + address.partition("/v2/")[2].partition("?")[0]
    written = next((re.sub(each, as_, path) for each, as_ in EASYPOST.items() if re.fullmatch(each, path)), "")
    operation = f"{method} {written}"
    return operation if operation in EASYPOST_CALLS else None


def _write(name: str, document: Document) -> None:
    (CONTRACTS / name).write_text(json.dumps(document, separators=(",", ":"), sort_keys=True) + "\n")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m scripts.carrier_contracts", description=__doc__)
    parser.add_argument("--ups", type=Path, help="the folder of the OpenAPI files of UPS")
    parser.add_argument("--shipengine", type=Path, help="the OpenAPI file of ShipEngine")
    parser.add_argument("--easypost", type=Path, help="the folder of cassettes of EasyPost's Python client")
    options = parser.parse_args()
    if options.ups:
        files = {
            name: read_contract(options.ups / f"{name}.yaml", wanted, "" if name.startswith("OAuth") else "/api")
            for name, wanted in UPS.items()
        }
        _write("ups.json", files)
    if options.shipengine:
        _write("shipengine.json", {"shipengine": read_contract(options.shipengine, SHIPENGINE)})
    if options.easypost:
        _write("easypost.json", recorded(options.easypost.glob("*.yaml")))


if __name__ == "__main__":
    main()
