"""`haulier channel config`: what the broker of MQTT beside this service is to be told."""

import secrets
from typing import Annotated

import typer

group = typer.Typer(help="The broker of MQTT that carries chats.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(group, name="channel")


@group.callback()
def _group() -> None:
    """The broker of MQTT that carries chats."""


@group.command("config")
def print_config(
    host: Annotated[str, typer.Option(help="The address at which the broker listens for programs.")] = "127.0.0.1",
) -> None:
    """Print the configuration of a NATS server, and below it the settings of this service that go with it.

    The key is that of the setting `channel_key`, or a new one. The password is new each time.
    """
    from haulier.adapters.nats_channel import NatsAccountKey, make_account_seed, server_config
    from haulier.settings import load_settings

    seed, password = load_settings().channel_key or make_account_seed(), secrets.token_urlsafe(24)
    typer.echo(server_config(NatsAccountKey(seed), password, host=host))
    typer.echo("# The settings of the service:")
    typer.echo(f"# HAULIER_CHANNEL=nats://haulier:{password}@127.0.0.1:4222")
    typer.echo(f"# HAULIER_CHANNEL_KEY={seed}")
    typer.echo(f"# HAULIER_CHANNEL_ADDRESS=mqtt://{host}:1883,ws://{host}:8080/mqtt")
