"""A valid request for each operation on webhooks and the developer portal."""

URL = "https://receiver.example/hooks"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

EXAMPLES: dict[str, dict[str, object]] = {
    "get_webhook_settings": {},
    "update_webhook_settings": {"endpoints": [{"url": URL, "events": ["order.created"]}]},
    "rotate_webhook_secret": {"endpoint_id": "$endpoint_id"},
    "get_webhook_delivery_logs": {"status": "failed"},
    "get_webhook_delivery_log": {"delivery_log_id": "$delivery_log_id"},
    "replay_webhook_delivery": {"delivery_log_id": "$delivery_log_id"},
    "recover_webhook_deliveries": {"endpoint_id": "$endpoint_id", "since": "2026-06-10T00:00:00Z"},
    "test_webhook_delivery": {"url": URL, "secret": SECRET},
    "get_webhook_guide": {"event": "order.created"},
    "verify_webhook_signature": {
        "payload": '{"test": 2432232314}',
        "webhook_id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook_timestamp": "1614265330",
        "webhook_signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        "secret": SECRET,
    },
    "check_skill_update": {},
    "describe_operation": {"name": "merge_routes"},
    "get_api_endpoints": {},
    "get_capabilities": {},
    "get_graphql_operations": {},
    "get_how_to_guide": {"guide": "webhooks"},
    "get_integration_guide": {},
    "list_how_to_guides": {},
    "run_graphql_query": {"query": "{ orders { total } }"},
}
