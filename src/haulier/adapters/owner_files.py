"""Files that only their owner can read.

Used for the embedded database and for messages written to a file.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path


def create_owner_file(path: Path) -> None:
    """Create an empty file with mode 0600 unless it exists.

    Creates the folder too. SQLite gives its log the same mode.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDONLY | os.O_CREAT, 0o600))


async def append_json_line(path: Path, document: Mapping[str, str]) -> None:
    """Append a document as one line to a file.

    Creates the file if it does not exist. Raises `OSError`.
    """
    await asyncio.to_thread(_append, path, json.dumps(document, ensure_ascii=False) + "\n")


def _append(path: Path, line: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "a", encoding="utf-8") as file:
        file.write(line)
