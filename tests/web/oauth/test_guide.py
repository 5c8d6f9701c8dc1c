"""The guide to connecting an agent matches the actual responses."""

from pathlib import Path

from tests.docs.guides import check


def test_the_guide_matches_the_protocol(demo_server: str, tmp_path: Path) -> None:
    check("docs/integrate/connect-an-agent.md", tmp_path, demo_server, {"BASE": demo_server})
