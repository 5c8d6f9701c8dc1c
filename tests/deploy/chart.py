"""Rendering of the Helm chart with the functions of Go templates that it uses."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

TAG = re.compile(r"(\{\{-?\s*.*?\s*-?\}\})", re.DOTALL)
WORDS = re.compile(r"\((?:[^()]|\([^()]*\))*\)\S*|\"[^\"]*\"|\S+")
OPENING = ("if", "range", "define")


class Chart:
    """A chart of templates without loops over anything but maps."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._named: dict[str, list[Any]] = {}
        for file in sorted((folder / "templates").iterdir()):
            self._collect(parse(file.read_text()))

    def _collect(self, nodes: list[Any]) -> None:
        for node in nodes:
            if isinstance(node, tuple) and node[0] == "define":
                self._named[json.loads(node[1])] = node[2]

    def render(self, **changes: Any) -> list[dict[str, Any]]:
        """Return the manifests with the default values and changes to them."""
        values = merged(yaml.safe_load((self._folder / "values.yaml").read_text()), changes)
        chart = yaml.safe_load((self._folder / "Chart.yaml").read_text())
        self._root = {
            "Values": values,
            "Release": {"Name": "freight"},
            "Chart": {"AppVersion": chart["appVersion"]},
        }
        manifests: list[dict[str, Any]] = []
        for file in sorted((self._folder / "templates").glob("*.yaml")):
            text = self._write(parse(file.read_text()), {})
            manifests += [each for each in yaml.safe_load_all(text) if each]
        return manifests

    def _write(self, nodes: list[Any], names: dict[str, Any]) -> str:
        return "".join(node if isinstance(node, str) else self._write_node(node, names) for node in nodes)

    def _write_node(self, node: tuple[str, str, list[Any], list[Any]], names: dict[str, Any]) -> str:
        kind, words, inside, otherwise = node
        if kind == "if":
            return self._write(inside if self._value(words, names) else otherwise, names)
        if kind == "range":
            key, value = (name.strip() for name in words.split(":=")[0].split(","))
            items = self._value(words.split(":=")[1], names)
            return "".join(self._write(inside, {**names, key: each, value: items[each]}) for each in items)
        return "" if kind == "define" else str(self._value(words, names))

    def _value(self, words: str, names: dict[str, Any]) -> Any:
        steps = [WORDS.findall(part) for part in split_pipes(words)]
        value = self._call(steps[0], names)
        for name, *arguments in steps[1:]:
            value = self._call([name, *arguments], names, last=value)
        return value

    def _call(self, words: list[str], names: dict[str, Any], **piped: Any) -> Any:
        name, arguments = words[0], [self._atom(word, names) for word in words[1:]]
        arguments += piped.values()
        match name:
            case "not":
                return not arguments[0]
            case "include":
                return self._write(self._named[arguments[0]], {}).strip("\n")
            case "nindent":
                return "".join(f"\n{' ' * arguments[0]}{line}" for line in arguments[1].splitlines())
            case "toYaml":
                return yaml.safe_dump(arguments[0]).rstrip()
            case "quote":
                return json.dumps(str(arguments[0]).lower() if isinstance(arguments[0], bool) else str(arguments[0]))
            case "default":
                return arguments[1] or arguments[0]
            case "add":
                return sum(arguments)
            case "mul":
                return arguments[0] * arguments[1]
        assert len(words) == 1, f"unknown function {name}"
        return self._atom(name, names)

    def _atom(self, word: str, names: dict[str, Any]) -> Any:
        if word == ".":
            return self._root
        if word.startswith("("):
            inside, _, member = word[1:].rpartition(")")
            if inside.startswith("urlParse"):
                assert member == ".hostname"
                return urlsplit(self._value(inside.removeprefix("urlParse"), names)).hostname
            return self._value(inside, names)
        if word.startswith("$"):
            return names[word]
        if word.startswith("."):
            value: Any = self._root
            for part in word[1:].split("."):
                value = value[part]  # a name that values.yaml lacks is an error
            return value
        return json.loads(word)


def split_pipes(words: str) -> list[str]:
    return [part.strip() for part in re.split(r"\|(?![^(]*\))", words)]


def parse(text: str) -> list[Any]:
    """Return the nodes of a template: text, or (kind, words, inside, otherwise)."""
    parts = TAG.split(text)
    for index, part in enumerate(parts):
        if part.startswith("{{-") and index:
            parts[index - 1] = parts[index - 1].rstrip()
        if part.endswith("-}}") and index + 1 < len(parts):
            parts[index + 1] = parts[index + 1].lstrip()
    nodes, rest = parse_until(parts, ())
    assert not rest, "an `end` too many"
    return nodes


def parse_until(parts: list[str], ends: tuple[str, ...]) -> tuple[list[Any], list[str]]:
    nodes: list[Any] = []
    while parts:
        part, *parts = parts
        if not part.startswith("{{"):
            nodes.append(part)
            continue
        words = part.strip("{}").strip("-").strip()
        kind, _, condition = words.partition(" ")
        if kind in ("end", "else"):
            assert kind in ends, words
            return nodes, [part, *parts]
        if kind not in OPENING:
            nodes.append(("value", words, [], []))
            continue
        inside, parts = parse_until(parts, ("end", "else"))
        otherwise: list[Any] = []
        if "else" in parts[0]:
            otherwise, parts = parse_until(parts[1:], ("end",))
        nodes.append((kind, condition, inside, otherwise))
        parts = parts[1:]
    assert not ends, "an `end` is missing"
    return nodes, []


def merged(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return values with nested changes."""
    return values | {
        name: merged(values[name], change) if isinstance(change, dict) and name in values else change
        for name, change in changes.items()
    }
