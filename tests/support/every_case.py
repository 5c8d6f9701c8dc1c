"""Tests of a rule over many cases, with one assert that lists all failures.

`pytest.mark.parametrize` creates a test per case, which suits a few cases of different kinds, but is slow for
hundreds of table rows.
"""

import inspect
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest


def for_every(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Run a test for every case, and fail with the list of failed cases.

    Parameters are named as in `pytest.mark.parametrize`.

    The test is only skipped if every case is skipped. Fixtures are created once for all cases, so a case may see the
    effects of earlier ones. The test may be asynchronous.
    """
    keys = tuple(names.split(",")) if isinstance(names, str) else names
    rows = [tuple(case) if len(keys) > 1 else (case,) for case in cases]
    assert rows, "no cases"

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(test)
        def run(*owner: Any, **fixtures: Any) -> None:
            told = _Told(len(rows))
            for row in rows:
                with told.about(row):
                    test(*owner, **fixtures, **dict(zip(keys, row, strict=True)))
            told.judge()

        @wraps(test)
        async def run_asynchronously(*owner: Any, **fixtures: Any) -> None:
            told = _Told(len(rows))
            for row in rows:
                with told.about(row):
                    await test(*owner, **fixtures, **dict(zip(keys, row, strict=True)))
            told.judge()

        chosen: Any = run_asynchronously if inspect.iscoroutinefunction(test) else run
        parameters = inspect.signature(test).parameters.values()
        chosen.__signature__ = inspect.Signature([p for p in parameters if p.name not in keys])
        return chosen

    return decorate


class _Told:
    """Results of the cases of one test."""

    def __init__(self, cases: int) -> None:
        self._cases = cases
        self._faults: list[str] = []
        self._skips: list[str] = []

    @contextmanager
    def about(self, row: tuple[Any, ...]) -> Generator[None]:
        """Run a case and record its result."""
        try:
            yield
        except pytest.skip.Exception as skip:
            self._skips.append(str(skip))
        except (Exception, pytest.fail.Exception) as error:
            self._faults.append(f"{row}: {type(error).__name__}: {error}")

    def judge(self) -> None:
        """Fail with all failures; skip if every case was skipped."""
        assert not self._faults, "\n".join([f"{len(self._faults)} of {self._cases} cases:", *self._faults])
        if len(self._skips) == self._cases:
            pytest.skip(self._skips[0])
