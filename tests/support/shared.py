"""Official schemas, code lists and public benchmark instances for tests.

They are in a folder next to the checkout or in `HAULIER_SHARED`. Tests that need a missing file skip.
"""

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("HAULIER_SHARED") or Path(__file__).resolve().parents[3] / "shared")


def shared(relative: str) -> Path:
    """Return the path of a shared file or folder. Skips the test if it is missing."""
    path = ROOT / relative
    if not path.exists():
        pytest.skip(f"{relative} is not beside this checkout (looked in {ROOT})")
    return path
