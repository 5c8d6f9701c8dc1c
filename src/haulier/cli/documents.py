"""`haulier document`: the certificate that signs documents, and whether a file is one of ours."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from haulier.cli.server import Database

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from haulier.kernel.application import Application

group = typer.Typer(help="Issued documents and the certificate that signs them.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(group, name="document")


@group.command("certificate")
def show_certificate(database: Database = None) -> None:
    """Print the certificate that signs documents, in PEM; it is made when there is none. Readers of PDF can trust it."""
    from haulier.contexts.documents.public import ensure_signing_identity

    identity = _with_application(database, ensure_signing_identity)
    typer.echo(identity.certificate.strip())
    typer.echo(f"SHA-256 {identity.fingerprint}, valid until {identity.valid_until:%Y-%m-%d}", err=True)


@group.command("rotate")
def rotate_certificate(database: Database = None) -> None:
    """Sign with a new certificate from now on. The old key is deleted; what it signed stays genuine."""
    from haulier.contexts.documents.public import rotate_signing_identity

    identity = _with_application(database, rotate_signing_identity)
    typer.echo(f"documents are signed by SHA-256 {identity.fingerprint} from now on")


@group.command("verify")
def verify_file(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A PDF.")], database: Database = None
) -> None:
    """Say whether a file was issued here and is intact: by the register, and by its signature alone.

    Ends with 1 unless it is genuine.
    """
    content = file.read_bytes()

    async def verified(app: "Application") -> tuple[str, Any]:
        import asyncio

        from haulier.contexts.documents.public import DocumentSigner, judge_file, list_certificates

        async with app.database.read(None) as work:
            verdict, _ = await judge_file(work, content)
            certificates = [row.certificate for row in await list_certificates(work)]
        return verdict, await asyncio.to_thread(app.adapter(DocumentSigner).check, content, certificates)

    verdict, signature = _with_application(database, verified)
    by = "valid" if signature.intact else "not valid" if signature.ours else "not ours"
    typer.echo(f"{verdict}; the signature is {by}")
    if verdict != "genuine":
        raise typer.Exit(1)


def _with_application(url: str | None, action: "Callable[[Application], Awaitable[Any]]") -> Any:
    """Run an action with an application. Raises `InvalidSetting` for an empty database."""
    import asyncio

    from haulier.app import build_application
    from haulier.contexts.documents.public import SigningKeyMissing
    from haulier.settings import InvalidSetting, load_settings

    async def run() -> Any:
        app = build_application(load_settings(database=url))
        await app.database.open()
        try:
            if "signing_certificate" not in await app.database.table_names():
                raise InvalidSetting("the database lacks tables; `haulier db upgrade` makes them")
            return await action(app)
        except SigningKeyMissing as fault:
            raise InvalidSetting(f"the key that signs documents cannot be had here: {fault}") from None
        finally:
            await app.database.close()

    return asyncio.run(run())
