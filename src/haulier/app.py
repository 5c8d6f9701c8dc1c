"""Where everything meets: the one place that knows contexts, adapters and doors, and introduces them to each other."""

from functools import lru_cache
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import haulier.contexts
import haulier.kernel.steps
from haulier.adapters.agent_documents import WebAgentDocuments
from haulier.adapters.database import connect
from haulier.adapters.mail import post
from haulier.adapters.objects import objects
from haulier.adapters.openid import OpenId
from haulier.adapters.searching import Apart
from haulier.adapters.sms import HttpProviders, sms
from haulier.adapters.trade import Orders
from haulier.adapters.travel import travels
from haulier.adapters.vault import vault
from haulier.adapters.webhooks import VaultSecrets, WebCallbacks
from haulier.contexts.access.accounts.identity import AccountsIdentity
from haulier.contexts.access.approvals.gate import ApprovalGate
from haulier.contexts.access.ports import AgentDocuments, IdTokens, Post, Sms, SmsProviders, Trade, Vault
from haulier.contexts.dispatch.ports import Searches, Travels
from haulier.contexts.dispatch.route_board.line import BoardLine
from haulier.contexts.dispatch.routes.ports import Line
from haulier.contexts.documents.ports import Objects
from haulier.contexts.integrations.developer_portal.ports import Doors
from haulier.contexts.integrations.ports import Callbacks, Secrets
from haulier.contexts.tracking.providers.identity import KIND, ProviderIdentity
from haulier.doors.discovery.within import DoorsWithin
from haulier.kernel.callers import Callers
from haulier.kernel.data.tables import metadata
from haulier.kernel.data.work import Database
from haulier.kernel.declarations import Feature, Module
from haulier.kernel.errands import Errand
from haulier.kernel.events import Relay, Subscriber
from haulier.kernel.house import House
from haulier.kernel.languages import Catalogues
from haulier.kernel.loopback import LOOPBACK
from haulier.kernel.operation import Operation
from haulier.kernel.registry import Backstage, Registry, declared_in, modules_below
from haulier.kernel.rounds import Round
from haulier.kernel.throttle import Throttle
from haulier.settings import Settings

OUTBOX = "file:var/sms.jsonl"
"""Where text messages lie as long as nobody but this machine can reach the instance."""


@lru_cache(maxsize=1)
def _modules() -> tuple[ModuleType, ...]:
    return (*modules_below(haulier.kernel.steps), *modules_below(haulier.contexts))


def load_tables() -> None:
    """Import everything that declares a table, so that `metadata` is whole. Migrations call this."""
    _modules()


def drawings() -> dict[str, str]:
    """Every state machine that draws itself, by what it is about: modules of rules with a function `mermaid`."""
    found = [
        module for module in _modules() if callable(getattr(module, "mermaid", None)) and ".rules" in module.__name__
    ]
    return {module.__name__.split(".")[3].replace("_", " ").capitalize(): module.mermaid() for module in found}


@lru_cache(maxsize=1)
def registry() -> Registry:
    """Every operation of every context."""
    found: list[Operation[Any, Any]] = declared_in(_modules(), Operation)
    return Registry(sorted(found, key=lambda operation: operation.name))


@lru_cache(maxsize=1)
def backstage() -> Backstage:
    """Every errand, subscriber, round and relay of every context."""
    found = _modules()
    heard = declared_in(found, Subscriber)
    return Backstage(declared_in(found, Errand), heard, declared_in(found, Round), declared_in(found, Relay))


def build_house(settings: Settings, database: Database | None = None) -> House:
    """A house over an unopened database, with everything introduced."""
    accounts, keeps = AccountsIdentity(), vault(settings.secrets_keys)
    return House(
        registry=registry(),
        backstage=backstage(),
        database=database or connect(settings.database),
        catalogues=Catalogues(),
        identity=Callers(accounts, {KIND: ProviderIdentity(accounts)}),
        approvals=ApprovalGate(),
        base_url=settings.base_url,
        throttle=Throttle(enabled=settings.rate_limits),
        adapters={
            AgentDocuments: WebAgentDocuments(),
            Doors: DoorsWithin(),
            Line: BoardLine(),
            Post: post(settings.mail, settings.mail_from),
            Trade: Orders(),
            Sms: sms(settings.sms or _outbox(settings), settings.sms_from),
            SmsProviders: HttpProviders(),
            Vault: keeps,
            Secrets: VaultSecrets(keeps),
            Callbacks: WebCallbacks(private=settings.private_webhooks or settings.demo),
            IdTokens: OpenId(),
            Travels: travels(settings.travel),
            Searches: Apart(),
            Objects: objects(settings.objects),
        },
    )


def _outbox(settings: Settings) -> str | None:
    """The file for text messages that nobody carries; none where customers would wait for them in vain."""
    return OUTBOX if settings.demo or urlsplit(settings.base_url).hostname in LOOPBACK else None


async def note_missing_modules(house: House) -> None:
    """Find out which modules and opt-in families have no tables yet: their operations are refused until it is migrated."""
    present = await house.database.table_names()
    lacking = [table.info for table in metadata.tables.values() if table.name not in present]
    modules = {Module(info["module"]) for info in lacking if "module" in info}
    features = {Feature(info["feature"]) for info in lacking if "feature" in info}
    house.modules_missing = frozenset(modules | features)
