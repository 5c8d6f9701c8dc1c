"""Generator of `docs/reference/errors.md`, a table of all error codes."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from itertools import groupby
from pathlib import Path
from typing import Any

from haulier.cli.operations_reference import OPERATIONS, area_page, area_title
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.errors import ErrorType

ERRORS = Path("docs/reference/errors.md")
MOST_NAMED = 3
HEAD = """# Error codes

Every refused call has the same body. `code` never changes; `message` is in the language of the request.

```json
{"result": false, "code": "IDEMPOTENCY_KEY_REUSED", "message": "This Idempotency-Key was already used for a different request.",
 "errors": [{"field": "Idempotency-Key", "code": "IDEMPOTENCY_KEY_REUSED", "message": "…"}],
 "hint": "Use a new key for each new request. Repeat a key only with the same request.", "request_id": "…"}
```

- `errors` lists every invalid field at once, with its path.
- `hint` says what to do, `next` names operations that help. Both are missing where the message says it all.
- Quote `request_id` when you report a problem: it is in the server log.

| Status | Repeat the call? |
|---|---|
| 400, 404, 405, 406, 413, 415, 422 | No. Change the request |
| 401 | After signing in, or with another token |
| 403 | No. The account or token lacks the right |
| 408, 500, 503 | Yes, with the same `Idempotency-Key`; wait `Retry-After` seconds where it is sent |
| 409, 410 | Not until the record has changed. Read it first |
| 428 | Yes, with the confirmation that the message asks for |
| 429 | Yes, after `Retry-After` seconds |

Texts in ‹angle quotes› are filled in. Generated from the declarations by `make published`.
"""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
Translate = Callable[..., str]


def render_errors_page(
    operations: Iterable[Operation[Any, Any]], errors: Iterable[ErrorType], translate: Translate
) -> str:
    """Return the page in Markdown: errors with an English message, by status."""
    raised = defaultdict[str, list[Operation[Any, Any]]](list)
    for operation in operations:
        for problem in operation.errors:
            raised[problem.id].append(operation)
    known = [problem for problem in errors if translate(problem.id) != problem.id]
    ordered = sorted(known, key=lambda problem: (problem.status, problem.id))
    parts = [HEAD]
    for status, members in groupby(ordered, key=lambda problem: problem.status):
        parts.append(f"\n## {status} {HTTPStatus(status).phrase}\n\n| Code | Meaning | What to do | Operations |\n")
        parts.append("|---|---|---|---|\n")
        parts += [_error_row(problem, raised, translate) for problem in members]
    return "".join(parts)


def _error_row(problem: ErrorType, raised: Mapping[str, list[Operation[Any, Any]]], translate: Translate) -> str:
    hint = translate(f"hint.{problem.id}")
    cells = (
        f'<a id="{problem.id}"></a>`{problem.code}`',
        _as_cell(translate(problem.id)),
        "" if hint.startswith("hint.") else _as_cell(hint),
        _raised_by(raised.get(problem.id, [])),
    )
    return f"| {' | '.join(cells)} |\n"


def _as_cell(text: str) -> str:
    return _PLACEHOLDER.sub(r"‹\1›", " ".join(text.split())).replace("|", r"\|").replace("<", "&lt;")


def _raised_by(operations: list[Operation[Any, Any]]) -> str:
    """Return links to a few operations, or their number and areas."""
    if len(operations) <= MOST_NAMED:
        return ", ".join(
            f"[`{operation.name}`]({OPERATIONS.name}/{area_page(operation)}#{operation.name})"
            for operation in operations
        )
    areas = {area_title(operation): area_page(operation) for operation in operations}
    shown = [f"[{title}]({OPERATIONS.name}/{page})" for title, page in sorted(areas.items())]
    return f"{len(operations)} in {', '.join(shown) if len(shown) <= MOST_NAMED else f'{len(shown)} areas'}"
