"""Generated part of the TypeScript client: a module for each group."""

import json
from pathlib import Path
from typing import Any

from scripts.sdk.contract import METHODS, STREAM, Contract, Operation, Schema, camel

MARK = "// Generated from the contract; do not edit."
DROPPED = {"examples", "pattern", "format", "title", "contentEncoding", "minLength", "maxLength", "minimum", "maximum"}
CORE = ("client", "errors", "operation", "webhooks")


def typescript_files(contract: Contract) -> dict[str, str]:
    """Return the generated modules by path below `src`, without the types."""
    files: dict[str, str] = {}
    for group, operations in contract.groups().items():
        head = [
            MARK,
            'import { list, operation } from "../operation.js";',
            'import type { operations } from "../schema.js";',
        ]
        words = {
            "list": any(each.pages for each in operations),
            "operation": not all(each.pages for each in operations),
        }
        head[1] = f'import {{ {", ".join(name for name, used in words.items() if used)} }} from "../operation.js";'
        files[f"api/{group.replace('_', '-')}.ts"] = "\n\n".join(["\n".join(head), *map(_constant, operations)]) + "\n"
    exports = [f'export * from "./{name}.js";' for name in CORE if name != "operation"]
    exports.append('export { download, iterate } from "./operation.js";')
    exports.append('export type { Answer, Described, FileTypes, List, Operation, Params } from "./operation.js";')
    exports.append('export type { components } from "./schema.js";')
    exports += [f'export * from "./{name.removesuffix(".ts")}.js";' for name in files]
    return {**files, "index.ts": "\n".join([MARK, *exports]) + "\n"}


def _constant(operation: Operation) -> str:
    kind = f'operations["{operation.name}"]'
    path = json.dumps(operation.path)
    if operation.pages:
        by_cursor = json.dumps(operation.pages.by_cursor)
        made = f'list<{kind}, "{operation.pages.key}">({path}, "{operation.pages.key}", {by_cursor})'
    else:
        made = f"operation<{kind}>({json.dumps(operation.method)}, {path})"
    doc = operation.doc.replace("*/", "* /")
    return f"/** {doc} */\nexport const {camel(operation.name)} = /* @__PURE__ */ {made};"


def types_document(contract: Contract) -> Schema:
    """Return the document for the types, without errors and value rules."""
    document: Schema = json.loads(json.dumps(contract.document))
    document["components"].pop("responses", None)
    for path, item in list(document["paths"].items()):
        for method in [each for each in METHODS if each in item]:
            raw = item[method]
            raw.pop("description", None)
            raw["responses"] = {code: answer for code, answer in raw["responses"].items() if code.startswith("2")}
            if any(STREAM in answer.get("content", {}) for answer in raw["responses"].values()):
                del item[method]
            elif "parameters" in raw:
                raw["parameters"] = [
                    each for each in raw["parameters"] if contract.resolve(each).get("in") in ("path", "query")
                ]
        if not any(each in item for each in METHODS):
            del document["paths"][path]
    return _without_rules(document)


def _without_rules(part: Any) -> Any:
    if isinstance(part, list):
        return [_without_rules(each) for each in part]
    if not isinstance(part, dict):
        return part
    is_schema = "type" in part or "enum" in part
    return {
        key: _without_rules(value)
        for key, value in part.items()
        if not (is_schema and key in DROPPED and isinstance(part.get("type"), str | list)) and not key.startswith("x-")
    }


def write_document(contract: Contract, file: Path) -> None:
    """Write the document for the types."""
    file.write_text(json.dumps(types_document(contract)))
