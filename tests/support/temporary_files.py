"""Location of temporary files: in memory if there is room.

Nearly every test creates a database.
"""

import os
import shutil
import tempfile
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
REQUIRED_BYTES = 4 * 2**30
"""Free memory below which temporary files stay on disk."""


def choose_temporary_folder() -> str:
    """Return the folder for temporary files of this process and its children.

    A folder that the caller chose with TMPDIR is left alone.
    """
    if "TMPDIR" not in os.environ and _has_room():
        os.environ["TMPDIR"] = tempfile.tempdir = str(SHARED_MEMORY)
    return tempfile.gettempdir()


def _has_room() -> bool:
    return os.access(SHARED_MEMORY, os.W_OK) and shutil.disk_usage(SHARED_MEMORY).free >= REQUIRED_BYTES
