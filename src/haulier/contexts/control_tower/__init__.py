"""Control tower: the read-only roof. It sees all and owns nothing.

Words: timeline of deeds (what people and programs did to an order, as the audit trail has it).
"""
