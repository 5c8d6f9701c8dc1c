"""One valid request for each operation of reservations."""

HOURS: dict[str, object] = {"starts": "10:00", "ends": "12:00", "capacity": 8, "cut_off_min": 60, "price_minor": 500}

EXAMPLES: dict[str, dict[str, object]] = {
    "list_booking_zones": {"per_page": 50},
    "create_booking_zone": {"name": "Downtown", "postal_prefixes": ["M5V", "M5H"]},
    "update_booking_zone": {"zone_id": "$zone_id", "name": "Downtown", "postal_prefixes": ["M5V"]},
    "create_booking_pattern": {"zone_id": "$zone_id", "weekdays": [1, 3, 5], "first_day": "2026-03-02", **HOURS},
    "end_booking_pattern": {"pattern_id": "$pattern_id"},
    "list_booking_patterns": {"zone_id": "$zone_id"},
    "create_booking_window": {"zone_id": "$zone_id", "day": "2026-03-02", **HOURS},
    "update_booking_window": {"window_id": "$window_id", "capacity": 10, "cut_off_min": 30},
    "close_booking_day": {"day": "2026-03-02", "zone_id": "$zone_id"},
    "list_booking_windows": {"date_from": "2026-03-02", "date_to": "2026-03-06", "zone_id": "$zone_id"},
    "find_bookable_windows": {"postal_code": "M5V 2T6", "date_from": "2026-03-02"},
    "hold_window": {"window_id": "$window_id", "postal_code": "M5V 2T6", "minutes": 15, "customer_id": "$customer_id"},
    "confirm_reservation": {"reservation_id": "$reservation_id", "order_id": "$order_id"},
    "reschedule_reservation": {"reservation_id": "$reservation_id", "window_id": "$window_id"},
    "cancel_reservation": {"reservation_id": "$reservation_id", "reason": "Not at home"},
    "check_in_reservation": {"reservation_id": "$reservation_id"},
    "check_in_by_code": {"code": "7K3F9Q"},
    "pay_no_show_fee": {"reservation_id": "$reservation_id"},
    "waive_no_show_fee": {"reservation_id": "$reservation_id", "reason": "The road was closed."},
    "join_waiting_list": {"window_id": "$window_id", "postal_code": "M5V 2T6", "customer_id": "$customer_id"},
    "leave_waiting_list": {"waiting_entry_id": "$waiting_entry_id"},
    "get_waiting_entry": {"waiting_entry_id": "$waiting_entry_id"},
    "list_waiting_entries": {"window_id": "$window_id", "status": "waiting"},
    "get_reservation": {"reservation_id": "$reservation_id"},
    "list_reservations": {"window_id": "$window_id", "status": "confirmed"},
}
