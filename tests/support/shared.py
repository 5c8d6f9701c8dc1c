"""Where tests find official schemas, code lists and public benchmark instances.

The folder stands beside the checkout, or where `HAULIER_SHARED` points; a test that needs it skips where it is absent.
"""

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("HAULIER_SHARED") or Path(__file__).resolve().parents[3] / "shared")


def shared(relative: str) -> Path:
    """The path of a shared file or folder; skips the calling test when it is not there."""
    path = ROOT / relative
    if not path.exists():
        pytest.skip(f"{relative} is not beside this checkout (looked in {ROOT})")
    return path
