"""Public interface of integrations: guides and the catalog of webhook events."""

from haulier.contexts.integrations.developer_portal.serializers import HowToGuide, how_to_guides
from haulier.contexts.integrations.webhooks.rules import EVENT_CATALOG, CatalogEvent
from haulier.contexts.integrations.webhooks.serializers import describe_event_data, event_records

__all__ = ["EVENT_CATALOG", "CatalogEvent", "HowToGuide", "describe_event_data", "event_records", "how_to_guides"]
