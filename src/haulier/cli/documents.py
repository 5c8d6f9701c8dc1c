"""`haulier document`: the signing certificate, and verification of documents."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from haulier.cli.server import Database
from haulier.cli.transactions import run_with_application

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from haulier.kernel.application import Application

group = typer.Typer(help="Manage the signing certificate and verify documents.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="document")


@group.command("certificate")
def show_certificate(database: Database = None) -> None:
    """Print the certificate that signs documents (PEM). Creates one if necessary.

    PDF readers can be configured to trust it.
    """
    from haulier.contexts.documents.public import ensure_signing_identity

    identity = _with_application(database, ensure_signing_identity)
    typer.echo(identity.certificate.strip())
    typer.echo(f"SHA-256 {identity.fingerprint}, valid until {identity.valid_until:%Y-%m-%d}", err=True)


@group.command("rotate")
def rotate_certificate(database: Database = None) -> None:
    """Replace the signing certificate.

    The old key is deleted. Documents that it signed stay valid.
    """
    from haulier.contexts.documents.public import rotate_signing_identity

    identity = _with_application(database, rotate_signing_identity)
    typer.echo(f"documents are now signed by SHA-256 {identity.fingerprint}")


@group.command("verify")
def verify_file(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="PDF file to verify.")],
    database: Database = None,
) -> None:
    """Verify that a PDF was issued here and is intact.

    Checks the register and, separately, its signature.

    Exits with 1 unless it is genuine.
    """
    content = file.read_bytes()

    async def verified(app: "Application") -> tuple[str, Any]:
        import asyncio

        from haulier.contexts.documents.public import DocumentSigner, check_file, list_certificates

        async with app.database.read(None) as work:
            verdict, _ = await check_file(work, content)
            certificates = [row.certificate for row in await list_certificates(work)]
        return verdict, await asyncio.to_thread(app.adapter(DocumentSigner).check, content, certificates)

    verdict, signature = _with_application(database, verified)
    by = "valid" if signature.intact else "not valid" if signature.ours else "by another issuer"
    typer.echo(f"{verdict}; the signature is {by}")
    if verdict != "genuine":
        raise typer.Exit(1)


def _with_application(url: str | None, action: "Callable[[Application], Awaitable[Any]]") -> Any:
    """Run an action that needs the signing key. Raises `InvalidSetting` without it."""
    from haulier.contexts.documents.public import SigningKeyMissing
    from haulier.settings import InvalidSetting

    try:
        return run_with_application(url, action)
    except SigningKeyMissing as fault:
        raise InvalidSetting(f"the document signing key is unavailable: {fault}") from None
