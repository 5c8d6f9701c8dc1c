"""The line of a record in the log."""

import json
import logging
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from haulier.observability import LineFormatter, configure_observability
from haulier.settings import Settings

CALL = {"name": "haulier.call", "levelname": "INFO", "msg": "create_order", "door": "rest", "status": 200, "id": "a b"}
WARNING = {"name": "x", "levelname": "WARNING", "msg": "%s: é", "args": ("what went wrong",), "none": None}
UVICORN = {
    "name": "uvicorn.error",
    "levelname": "INFO",
    "msg": "Started",
    "color_message": "St",
    "many": ["x", {"y": 1}],
}


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(log_format: str, *records: dict[str, Any]) -> list[str]:
    configure_observability(Settings.model_validate({"log_format": log_format, "node": "node-1"}))
    formatter = logging.getLogger().handlers[0].formatter
    assert isinstance(formatter, LineFormatter)
    return [without_moment(formatter.format(logging.makeLogRecord(words))) for words in records]


def test_a_text_log_line_shows_time_level_event_logger_and_details() -> None:
    assert lines("console", CALL, WARNING, UVICORN) == [
        " [info     ] create_order                   [haulier.call] door=rest id='a b' status=200",
        " [warning  ] what went wrong: é             [x] none=None",
        " [info     ] Started                        [uvicorn.error] many=['x', {'y': 1}]",
    ]


def test_a_json_log_has_one_object_per_line() -> None:
    assert [json.loads(line) for line in lines("json", CALL, WARNING)] == [
        {
            "event": "create_order",
            "level": "info",
            "logger": "haulier.call",
            "timestamp": "",
            "node": "node-1",
            "door": "rest",
            "status": 200,
            "id": "a b",
        },
        {
            "event": "what went wrong: é",
            "level": "warning",
            "logger": "x",
            "timestamp": "",
            "node": "node-1",
            "none": None,
        },
    ]


def test_an_exception_is_shown_below_the_line_and_as_a_member_of_the_object() -> None:
    try:
        raise ValueError("out of range")
    except ValueError:
        failed = {**WARNING, "exc_info": sys.exc_info()}
    ((head, *traceback), document) = (lines("console", failed)[0].split("\n"), json.loads(lines("json", failed)[0]))
    assert (head.split()[0], traceback[0], traceback[-1]) == (
        "[warning",
        "Traceback (most recent call last):",
        "ValueError: out of range",
    )
    assert document["exception"] == "\n".join(traceback)


def without_moment(line: str) -> str:
    without, count = re.subn(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "", line)
    assert count == 1
    return without
