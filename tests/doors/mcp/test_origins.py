"""Which web pages may speak to a server of tools."""

import pytest
from tests.doors.mcp.serving import Servers

from haulier.doors.mcp.origins import welcome

OURS = "https://haulier.example"


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (OURS, True), ("http://localhost:6274", True), ("http://127.0.0.1:9", True), ("http://[::1]", True),
        ("http://haulier.example", False), ("https://haulier.example:8443", False), ("https://evil.example", False),
        ("https://haulier.example.evil.example", False), ("http://localhost.evil.example", False), ("null", False),
        ("", False), ("http://[", False),
    ],
)  # fmt: skip
def test_ours_and_those_on_the_same_machine_may(origin: str, expected: bool) -> None:
    assert welcome(origin, OURS) is expected


async def test_a_page_from_elsewhere_is_refused_in_its_language_before_anything_is_read(servers: Servers) -> None:
    headers = {"origin": "https://evil.example", "accept-language": "de"}
    answer = await servers.post("tools/call", {"name": "greet", "arguments": {"name": "Bo"}}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "ORIGIN_NOT_WELCOME")
    assert "evil.example" in answer.json()["message"]
    assert answer.headers["content-language"] == "de"


async def test_a_program_says_no_origin_and_passes(servers: Servers) -> None:
    assert (await servers.call("greet", {"name": "Bo"}))["isError"] is False
