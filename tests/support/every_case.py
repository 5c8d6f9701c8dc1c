"""One test for a rule that holds for many cases: the loop is inside, and one assert lists every fault.

`pytest.mark.parametrize` makes a test of each case; that is right for a few cases that differ in kind, and slow to collect
and to read for hundreds that are rows of a table.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest


def for_every(
    names: str | tuple[str, ...], cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for every case, as `pytest.mark.parametrize` would, and fail with the list of the cases that fail.

    The test is skipped only when every case is skipped. Fixtures of the test are made once for all cases.
    """
    keys = tuple(names.split(",")) if isinstance(names, str) else names
    rows = [tuple(case) if len(keys) > 1 else (case,) for case in cases]
    assert rows, "no cases"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            faults: list[str] = []
            skips: list[str] = []
            for row in rows:
                try:
                    test(**fixtures, **dict(zip(keys, row, strict=True)))
                except pytest.skip.Exception as skip:
                    skips.append(str(skip))
                except (Exception, pytest.fail.Exception) as error:
                    faults.append(f"{row}: {type(error).__name__}: {error}")
            assert not faults, "\n".join([f"{len(faults)} of {len(rows)} cases:", *faults])
            if len(skips) == len(rows):
                pytest.skip(skips[0])

        parameters = inspect.signature(test).parameters.values()
        run.__signature__ = inspect.Signature([p for p in parameters if p.name not in keys])  # type: ignore[attr-defined]
        return run

    return decorate
