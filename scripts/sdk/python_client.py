"""Generated part of the Python client: a module for each group of operations."""

import json
import keyword
import re
from collections.abc import Iterator

from scripts.sdk.contract import Contract, Operation, Param, pascal
from scripts.sdk.python_types import PythonTypes, docstring

MARK = "Generated from the contract; do not edit."
MODULE = '''"""{title}. {mark}"""

from __future__ import annotations

import typing as t

from haulier_client._calls import AsyncGroup, Group

if t.TYPE_CHECKING:
{imports}    from haulier_client import types as m
'''
ITERATORS = "    from collections.abc import AsyncIterator, Iterator\n\n"
RESERVED = {"self", "body", "accept", "idempotency_key", "t", "m"}


class PythonClient:
    """Generator of the modules below `api` and of the module `types`."""

    def __init__(self, contract: Contract) -> None:
        self.groups = contract.groups()
        self.types = PythonTypes(contract)

    def files(self) -> dict[str, str]:
        """Return the generated files by path below the package."""
        modules = {f"api/{group}.py": self._module(group, operations) for group, operations in self.groups.items()}
        return {"api/__init__.py": self._index(), **modules, "types.py": self.types.module()}

    def _index(self) -> str:
        lines = [f'"""Groups of operations. {MARK}"""', "", "from __future__ import annotations", ""]
        lines += ["import typing as t", "from functools import cached_property", ""]
        lines += ["from haulier_client._calls import AsyncCaller, Caller", "", "if t.TYPE_CHECKING:"]
        lines += [
            f"    from haulier_client.api.{group} import Async{pascal(group)}, {pascal(group)}" for group in self.groups
        ]
        for prefix, base in (("", "Caller"), ("Async", "AsyncCaller")):
            lines += ["", "", f"class {prefix}Groups({base}):", '    """Groups of operations."""']
            for group in self.groups:
                name = f"{prefix}{pascal(group)}"
                lines += ["", "    @cached_property", f"    def {group}(self) -> {name}:"]
                lines += [f"        from haulier_client.api.{group} import {name}", "", f"        return {name}(self)"]
        return "\n".join(lines) + "\n"

    def _module(self, group: str, operations: list[Operation]) -> str:
        title = group.replace("_", " ").capitalize()
        imports = ITERATORS if any(each.pages for each in operations) else ""
        parts = [MODULE.format(title=title, mark=MARK, imports=imports)]
        for prefix, base in (("", "Group"), ("Async", "AsyncGroup")):
            lines = [f"class {prefix}{pascal(group)}({base}):", f'    """{title}."""']
            for operation in operations:
                lines += self._methods(operation, bool(prefix))
            parts.append("\n".join(lines))
        return "\n\n".join(parts) + "\n"

    def _methods(self, operation: Operation, is_async: bool) -> Iterator[str]:
        word, wait = ("async def", "await ") if is_async else ("def", "")
        answer = self._type(operation.answer, f"{pascal(operation.name)}Answer")
        call = f"return {wait}self._call({self._arguments(operation, operation.query)})"
        doc = f"        {docstring(operation.doc)}"
        if operation.files:
            kinds = ", ".join(map(json.dumps, operation.files))
            plain, file = "accept: None = None", f"accept: t.Literal[{kinds}]"
            both = f"accept: t.Literal[{kinds}] | None = None"
            for more, kind in ((plain, answer), (file, "bytes")):
                yield from ("", "    @t.overload")
                yield f"    {word} {operation.name}({self._signature(operation, operation.query, more)}) -> {kind}: ..."
            yield ""
            yield f"    {word} {operation.name}({self._signature(operation, operation.query, both)}) -> {answer} | bytes:"
            yield from (doc, f"        {call[:-1]}, accept=accept)")
        else:
            yield from ("", f"    {word} {operation.name}({self._signature(operation, operation.query)}) -> {answer}:")
            yield from (doc, f"        {call}")
        if operation.pages:
            yield from self._iterator(operation, is_async)

    def _iterator(self, operation: Operation, is_async: bool) -> Iterator[str]:
        pages = operation.pages
        assert pages
        item = self._type(pages.item, f"{pascal(operation.name)}Item")
        query = tuple(each for each in operation.query if each.key not in ("page", "cursor"))
        name = "iter_" + operation.name.removeprefix("get_").removeprefix("list_")
        kind = "AsyncIterator" if is_async else "Iterator"
        how = "cursor" if pages.by_cursor else "page"
        note = "" if pages.by_cursor else " Pages by number: records that move meanwhile can be missed or repeated."
        yield from ("", f"    def {name}({self._signature(operation, query)}) -> {kind}[{item}]:")
        yield f"        {docstring(f'Iterate over all pages of `{operation.name}`.{note}')}"
        yield f'        return self._iterate("{pages.key}", "{how}", {self._arguments(operation, query)})'

    def _signature(self, operation: Operation, query: tuple[Param, ...], *more: str) -> str:
        words = ["self"]
        words += [
            f"{_safe(each.name)}: {self._type(each.schema, _name(operation, each))}" for each in operation.in_path
        ]
        if operation.body is not None:
            kind = self._type(operation.body, f"{pascal(operation.name)}Body")
            words.append(f"body: {kind}" if operation.body_required else f"body: {kind} | None = None")
        if len(words) > 1:
            words.append("/")
        named = [f"{_safe(each.name)}: {self._query_type(operation, each)}" for each in query]
        named += more
        if operation.has_key:
            named.append("idempotency_key: str | None = None")
        return ", ".join([*words, *(["*", *named] if named else [])])

    def _query_type(self, operation: Operation, param: Param) -> str:
        kind = self._type(param.schema, _name(operation, param))
        return kind if param.required else f"{kind.removesuffix(' | None')} | None = None"

    def _arguments(self, operation: Operation, query: tuple[Param, ...]) -> str:
        words = [json.dumps(operation.method), json.dumps(_template(operation))]
        if operation.in_path:
            words.append(f"({', '.join(_safe(each.name) for each in operation.in_path)},)")
        if query:
            words.append("query={" + ", ".join(f'"{each.key}": {_safe(each.name)}' for each in query) + "}")
        if operation.body is not None:
            words.append("body=body" if operation.body_required else "body=body or {}")
        if operation.has_key:
            words.append("key=idempotency_key")
        return ", ".join(words)

    def _type(self, schema: dict[str, object] | None, name: str) -> str:
        """Return a type as it is written outside the module of types."""
        return _qualify(self.types.expression(schema, name))


def _template(operation: Operation) -> str:
    path = operation.path
    for each in operation.in_path:
        path = path.replace("{" + each.key + "}", "{}")
    return path


def _qualify(expression: str) -> str:
    """Put `m.` before the names of schemas, outside quoted values."""
    parts = expression.split('"')
    parts[::2] = [re.sub(r"(?<![\w.])(?!None\b|Any\b|Literal\b)([A-Z]\w*)", r"m.\1", part) for part in parts[::2]]
    return '"'.join(parts)


def _name(operation: Operation, param: Param) -> str:
    return f"{pascal(operation.name)}{pascal(param.name)}"


def _safe(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or name in RESERVED else name
