"""Public interface of integrations: the catalog of webhook events."""

from haulier.contexts.integrations.webhooks.rules import EVENT_CATALOG, CatalogEvent
from haulier.contexts.integrations.webhooks.serializers import describe_event_data, event_records

__all__ = ["EVENT_CATALOG", "CatalogEvent", "describe_event_data", "event_records"]
