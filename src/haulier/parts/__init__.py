"""Adapters of modules: `PART` of `haulier.parts.<module>`."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from haulier.adapters.file_reader.pool import FileReaderPool
from haulier.adapters.webhooks import HttpWebhookSender
from haulier.contexts.billing.public import Payable
from haulier.kernel.data.notified_cache import ClientCache
from haulier.kernel.i18n.languages import Catalogues
from haulier.settings import Settings

Adapters = Mapping[type[Any], Any]


class Shared(Struct, frozen=True, kw_only=True):
    """Objects of the application that adapters of several modules use."""

    settings: Settings
    catalogues: Catalogues
    file_readers: FileReaderPool
    sender: HttpWebhookSender


class Part(Struct, frozen=True, kw_only=True):
    """Adapters and declarations of a module besides its contexts."""

    adapters: Callable[[Shared], Adapters]
    """Its adapters, by their ports."""
    memories: tuple[type[ClientCache[Any]], ...] = ()
    """The records of clients that a serving process remembers."""
    payables: Mapping[str, Payable] = {}
    """Its payable records, by the purpose of a payment."""
    simulated: Callable[[Shared, Adapters], Adapters] = lambda shared, adapters: {}
    """The adapters that replace some of `adapters` for test businesses."""
    connected: tuple[type[Any], ...] = ()
    """The ports whose adapters have connections, which `close` ends."""
