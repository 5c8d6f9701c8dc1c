"""The REST API against its OpenAPI document, with generated requests.

`make e2e` sends each operation a few requests, the same in each run. `make fuzz` sets `FUZZ_EXAMPLES`, the number of
requests per operation: then every bound of every field is tried too, and random calls build on earlier responses.
`FUZZ_MINUTES` limits such a run, and extends one that would end earlier.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import httpx
from tests.support.live import make_server

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
)
ENDS_THE_SESSION = (
    "^(logout.*|sign_out_of_app|end_user_sessions|revoke_.*|change_password|set_user_password|disable_user|update_user"
    "|erase_personal_data|set_permissions)$"
)
NEVER_ENDS = "_live$"
FEW = "1"
"""Requests for each operation in `make e2e`, besides those of its examples."""
EXAMPLES = os.environ.get("FUZZ_EXAMPLES", FEW)
THOROUGH = "FUZZ_EXAMPLES" in os.environ
MINUTES = os.environ.get("FUZZ_MINUTES")
# The phase `coverage` sends 70 requests per operation, 18600 in total, most of three minutes.
PHASES = "examples,coverage,fuzzing,stateful" if THOROUGH else "examples,fuzzing"
SEED = os.environ.get("FUZZ_SEED") or (str(random.randrange(2**32)) if THOROUGH else "20260610")
"""A long walk is another each time; its report begins with the seed, and `FUZZ_SEED` walks it again."""
# One worker: in CPython 3.11 two threads that parse source at once upset each other (gh-106905), and schemathesis does.
CONFIGURATION = """
[phases.coverage]
unexpected-methods = []
"""
"""Methods that are not bound answer 405, which the description of a bound one does not list; a test of the door has them."""


def test_every_operation_responds_as_described(tmp_path: Path) -> None:
    login = {"email": "admin@demo.example", "password": "haulier-demo"}
    with make_server(tmp_path) as base:
        token = httpx.post(f"{base}/api/v1/user/login", json=login, timeout=60).json()["access_token"]
        httpx.get(f"{base}/api/openapi.json", timeout=60)  # it is made at the first call, which may take its time
        mine = {"Authorization": f"Bearer {token}"}
        run = subprocess.run(command(base, token, tmp_path), cwd=tmp_path, capture_output=True, text=True)
        still_signed_in = httpx.get(f"{base}/api/v1/user/me", headers=mine, timeout=60).status_code
    report = run.stdout if THOROUGH else run.stdout[-8000:]
    assert run.returncode == 0, f"seed {SEED}\n{report}{run.stderr[-2000:]}"
    assert still_signed_in == 200, "the run ended its own session: most of it saw only 401"


def command(base: str, token: str, folder: Path) -> list[str]:
    (folder / "schemathesis.toml").write_text(CONFIGURATION)
    return [
        str(Path(sys.executable).with_name("schemathesis")),
        *("--config-file", str(folder / "schemathesis.toml"), "run", f"{base}/api/openapi.json"),
        *("--header", f"Authorization: Bearer {token}"),
        *("--phases", PHASES, "--max-examples", EXAMPLES),
        *("--checks", ",".join(CHECKS)),
        *("--exclude-operation-id-regex", f"{ENDS_THE_SESSION}|{NEVER_ENDS}"),
        *("--suppress-health-check", "all", "--warnings", "off", "--no-shrink", "--continue-on-failure"),
        *(("--max-time", str(60 * int(MINUTES))) if MINUTES else ()),
        *("--seed", SEED, "--workers", "1", "--generation-database", "none", "--no-color"),
    ]
