"""Client of the Haulier API."""

from haulier_client.client import AsyncHaulier, Haulier
from haulier_client.errors import (
    ApiError,
    AuthenticationFailed,
    Conflict,
    ConnectionFailed,
    HaulierError,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    RateLimited,
    ServerFailed,
    WebhookRefused,
)
from haulier_client.webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncHaulier",
    "AuthenticationFailed",
    "Conflict",
    "ConnectionFailed",
    "Haulier",
    "HaulierError",
    "InvalidRequest",
    "NotFound",
    "PermissionDenied",
    "RateLimited",
    "ServerFailed",
    "WebhookRefused",
    "verify_webhook",
]
