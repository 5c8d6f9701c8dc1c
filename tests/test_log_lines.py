"""The line of a record in the log: what structlog writes, without its way there."""

import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest

from haulier.observability import LineFormatter, configure_observability
from haulier.settings import Settings

RECORDS: tuple[dict[str, Any], ...] = (
    {"name": "haulier.call", "levelname": "INFO", "msg": "create_order", "door": "rest", "status": 200, "id": "a b"},
    {"name": "x", "levelname": "WARNING", "msg": "%s: é", "args": ("a long sentence that ends there",), "none": None},
    {"name": "uvicorn.error", "levelname": "INFO", "msg": "Started", "color_message": "St", "many": ["x", {"y": 1}]},
)


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def test_a_record_is_the_line_that_structlog_makes_of_it() -> None:
    for log_format in ("console", "json"):
        configure_observability(Settings.model_validate({"log_format": log_format}))
        lines = logging.getLogger().handlers[0].formatter
        assert isinstance(lines, LineFormatter)
        for words in RECORDS:
            record = logging.makeLogRecord(words)
            assert without_moment(lines.format(record)) == without_moment(lines.whole.format(record))


def without_moment(line: str) -> str:
    without, count = re.subn(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "", line)
    assert count == 1
    return without
