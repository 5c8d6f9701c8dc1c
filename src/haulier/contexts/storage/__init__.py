"""Goods of customers that we keep: orders for storage, the packages in stock, and ship-outs that send them on.

Words: stored package (one package of a customer on a location of a warehouse), tariff (what storage costs over time),
ship-out (an order to send stored packages somewhere).
"""
