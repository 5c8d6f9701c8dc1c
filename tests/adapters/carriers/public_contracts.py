"""Validation of exchanges by the carriers' contracts (`contracts/README.md`)."""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator
from scripts.carrier_contracts import answered_thing, easypost_operation, fields_of
from tests.adapters.carriers.exchanges import Exchange

FOLDER = Path(__file__).with_name("contracts")
SERVER_FAULTS = frozenset((401, 403, 404, 429))
"""Statuses that a gateway answers with, and a contract need not name; what they hold is judged as any other refusal."""

FILES = ("/v1/downloads/", "/files/")
"""Where the simulated carriers keep labels and manifests."""


class Operation(NamedTuple):
    """An operation of a contract, such as `POST /v1/labels`, with its schemas."""

    name: str
    described: Mapping[str, Any]
    schemas: Mapping[str, Any]

    def faults(self, exchange: Exchange) -> Iterator[str]:
        """Return the violations of the contract in an exchange."""
        if exchange.asked is not None or self.described["request"]:
            yield from self._differences("request", self.described["request"], exchange.asked)
        yield from self._parameter_faults(exchange)
        answers = self.described["answers"]
        status = str(exchange.status)
        if status not in answers:
            if exchange.status not in SERVER_FAULTS:
                yield f"{self.name}: answered {status}, which is not described"
            status = "400"
        if exchange.answered is not None:
            yield from self._differences("answer", answers[status], exchange.answered)

    def _parameter_faults(self, exchange: Exchange) -> Iterator[str]:
        described = {(each["in"], each["name"].lower()): each for each in self.described["parameters"]}
        given = {("header", name): value for name, value in exchange.headers.items() if ("header", name) in described}
        given |= {("query", name.lower()): value for name, value in exchange.query.items()}
        given |= {("path", name.lower()): value for name, value in exchange.path_values(self.name).items()}
        for place in given.keys() - described.keys():
            yield f"{self.name}: there is no {' '.join(place)}"
        for place, each in described.items():
            if place in given:
                yield from self._differences(" ".join(place), each["schema"], _as_said(given[place], each["schema"]))
            elif each["required"]:
                yield f"{self.name}: the {' '.join(place)} is missing"

    def _differences(self, side: str, schema: Mapping[str, Any] | None, document: Any) -> Iterator[str]:
        if schema is None:
            yield f"{self.name}: the {side} is not described"
            return
        whole = {**schema, "components": {"schemas": self.schemas}}
        for fault in Draft202012Validator(whole).iter_errors(document):
            place = "/".join("[]" if isinstance(step, int) else step for step in fault.absolute_path)
            yield f"{self.name}: {side} {place}: {fault.message[:200]}"


def _as_said(value: str, schema: Mapping[str, Any]) -> Any:
    """A text of a path, a query or a header as the kind of value that it stands for."""
    return int(value) if schema.get("type") == "integer" and value.isdecimal() else value


@cache
def contract(carrier: str) -> tuple[Operation, ...]:
    """Return the operations of a contract, adjusted by the list of deviations."""
    files = json.loads((FOLDER / f"{carrier}.json").read_text())
    for deviation in deviations(carrier):
        _take_out(files, deviation["at"])
    return tuple(
        Operation(name, described, file["schemas"])
        for file in files.values()
        for name, described in file["operations"].items()
    )


def deviations(carrier: str) -> list[dict[str, str]]:
    """Return the errors in a contract, with the reason for each."""
    return tomllib.loads((FOLDER / "deviations.toml").read_text())[carrier]


def _take_out(document: Any, place: str) -> None:
    """Remove a member or list entry from a document. Raises `LookupError` if missing."""
    *path, last = place.split("|")
    for step in path:
        document = document[int(step) if isinstance(document, list) else step]
    if isinstance(document, dict):
        del document[last]
    elif last.isdecimal():
        del document[int(last)]
    elif last in document:
        document.remove(last)
    else:
        raise LookupError(f"{place} is not there")


def contract_violations(carrier: str, exchanges: Iterable[Exchange]) -> Iterator[str]:
    """Return all contract violations, including calls of unknown operations."""
    for exchange in filter(_is_an_operation, exchanges):
        fitting = [operation for operation in contract(carrier) if exchange.is_of(operation.name)]
        if not fitting:
            yield f"{exchange.method} {exchange.path}: there is no such operation"
        for operation in fitting:
            yield from operation.faults(exchange)


def _is_an_operation(exchange: Exchange) -> bool:
    """Rather than a file, fetched from an address that the carrier gave."""
    return not exchange.path.startswith(FILES)


def recording_faults(exchanges: Iterable[Exchange]) -> Iterator[str]:
    """Return fields that EasyPost's own client never sent or received."""
    known = json.loads((FOLDER / "easypost.json").read_text())
    for deviation in deviations("easypost"):
        for side in ("request", "answer"):
            known[side].setdefault(deviation["object"], {})[deviation["field"]] = [deviation["kind"]]
    for exchange in filter(_is_an_operation, exchanges):
        operation = easypost_operation(exchange.method, exchange.path)
        if operation is None:
            yield f"{exchange.method} {exchange.path}: it was never recorded"
        elif exchange.status < 300:
            yield from _unrecorded("request", known, exchange.asked or {}, operation)
            yield from _unrecorded("answer", known, exchange.answered, answered_thing(operation))


def _unrecorded(side: str, known: Mapping[str, Any], document: Any, outermost: str) -> Iterator[str]:
    """Return fields with unrecorded types; response fields may also be sent."""
    for thing, name, kind in fields_of(document, outermost):
        kinds = known[side].get(thing, {}).get(name) or known["answer"].get(thing, {}).get(name, [])
        if kind not in kinds and kinds != ["null"]:
            yield f"{side}: {kind} {name!r} of {thing!r}; recorded: {', '.join(kinds) or 'never'}"
