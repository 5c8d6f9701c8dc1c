"""An application with the modules of `HAULIER_MODULES`, without a socket.

`python -m tests.processes.started_modules DATABASE PATH…` prints as JSON the imported packages, the described
operations, the job kinds, and the statuses of the paths.
"""

import json
import sys
from typing import Any

from starlette.testclient import TestClient

from haulier.app import build_application
from haulier.server import create_asgi_app
from haulier.settings import load_settings


def look(database: str, paths: list[str]) -> dict[str, Any]:
    """Start the application over a migrated database and query it."""
    settings = load_settings(database=database, background=False)
    app = build_application(settings)
    with TestClient(create_asgi_app(settings, app), base_url=settings.base_url) as client:
        described = client.get("/api/openapi.json")
        return {
            "ready": client.get("/readyz").status_code,
            "described": sorted(
                operation["operationId"]
                for methods in described.json()["paths"].values()
                for operation in methods.values()
                if isinstance(operation, dict) and "operationId" in operation
            ),
            "statuses": {path: client.get(path).status_code for path in paths},
            "jobs": sorted(app.background.job_types),
            "imported": sorted(name for name in sys.modules if name.startswith("haulier.contexts.")),
        }


if __name__ == "__main__":
    print(json.dumps(look(sys.argv[1], sys.argv[2:])))
