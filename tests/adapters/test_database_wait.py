"""Waiting for PostgreSQL at the start."""

import asyncpg
import pytest
from tests.support.live import free_port

from haulier.adapters import database_wait
from haulier.adapters.database_wait import wait_for_database
from haulier.settings import InvalidSetting

URL = "postgresql://haulier@db.example/haulier"


class ClosableConnection:
    async def close(self) -> None:
        """Do nothing."""


class StartingServer:
    """PostgreSQL that refuses the first connections."""

    def __init__(self, *refusals: Exception) -> None:
        self.refusals = list(refusals)

    async def __call__(self, url: str) -> ClosableConnection:
        if self.refusals:
            raise self.refusals.pop(0)
        return ClosableConnection()


def test_the_command_waits_until_the_server_accepts_connections(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = StartingServer(ConnectionRefusedError("refused"), asyncpg.CannotConnectNowError("starting up"))
    monkeypatch.setattr(database_wait, "open_connection", server)
    monkeypatch.setattr(database_wait, "PAUSE_S", 0.01)
    wait_for_database(URL, 60)
    assert server.refusals == []
    assert caplog.messages == ["waiting for PostgreSQL: refused"]


def test_the_wait_has_a_timeout() -> None:
    with pytest.raises(TimeoutError, match=r"could not be reached within 0\.01 s"):
        wait_for_database(f"postgresql://nobody@127.0.0.1:{free_port()}/nothing", 0.01)


@pytest.mark.parametrize("refusal", [asyncpg.InvalidPasswordError("no"), asyncpg.InvalidCatalogNameError("no")])
def test_a_refused_login_is_reported_without_waiting(refusal: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_wait, "open_connection", StartingServer(refusal))
    with pytest.raises(type(refusal)):
        wait_for_database(URL, 60)


def test_an_invalid_address_is_reported() -> None:
    for url in ("postgresql://haulier:hun:ter2@db.example:x/name", "postgresql://db.example/name?sslmode=best"):
        with pytest.raises(InvalidSetting, match="setting 'database'") as refused:
            wait_for_database(url, 60)
        assert "ter2" not in str(refused.value)
