"""A Citus coordinator and two workers, from a PostgreSQL with the extension.

`programs` is the folder with `initdb` and `postgres` of that PostgreSQL.
"""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from scripts.two_postgres import DATABASE, OWNER, Server, make_data_folder
from tests.support.live import free_port

SUPERUSER = "postgres"
CONFIGURATION = """
shared_preload_libraries = 'citus'
citus.node_conninfo = 'sslmode=prefer'
citus.enable_statistics_collection = off
citus.recover_2pc_interval = '1s'
citus.distributed_deadlock_detection_factor = 2
fsync = off
full_page_writes = off
autovacuum = off
max_connections = 150
max_locks_per_transaction = 256
max_prepared_transactions = 150
shared_buffers = 64MB
wal_level = logical
log_statement = '{log_statement}'
log_line_prefix = '%m [%p] '
"""
# fsync = off: only processes are killed here, and written pages survive that.


class CitusServers:
    """A coordinator and its workers."""

    def __init__(self, coordinator: Server, workers: list[Server]) -> None:
        self.coordinator = coordinator
        self.workers = workers

    def url(self) -> str:
        """Return the URL of the coordinator's database for a superuser."""
        return self.coordinator.url(SUPERUSER)

    def log(self, server: Server) -> str:
        """Return the log of a server."""
        return Path(f"{server.folder}.log").read_text(errors="replace")


@contextmanager
def citus_servers(programs: Path, *, log_statement: str = "none") -> Generator[CitusServers]:
    """Yield running servers with an empty database and registered workers."""
    with tempfile.TemporaryDirectory(prefix="haulier-citus-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        servers = [Server(folder / role, free_port(), programs) for role in ("coordinator", "worker1", "worker2")]
        try:
            for server in servers:
                _start(server, log_statement)
            coordinator, *workers = servers
            coordinator.tell(f"SELECT citus_set_coordinator_host('127.0.0.1', {coordinator.port})")
            for worker in workers:
                coordinator.tell(f"SELECT citus_add_node('127.0.0.1', {worker.port})")
            yield CitusServers(coordinator, workers)
        finally:
            for server in servers:
                server.kill()


def _start(server: Server, log_statement: str) -> None:
    make_data_folder(server.folder)
    server.run("initdb", "-D", str(server.folder), "-U", SUPERUSER, "-A", "trust", "--no-sync", "-E", "UTF8")
    with (server.folder / "postgresql.conf").open("a") as file:
        file.write(CONFIGURATION.format(log_statement=log_statement))
    server.start()
    server.tell(f"CREATE ROLE {OWNER} LOGIN", f"CREATE DATABASE {DATABASE} OWNER {OWNER}", name="postgres")
    server.tell("CREATE EXTENSION citus")
