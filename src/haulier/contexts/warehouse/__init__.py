"""What we keep: warehouses, products, and stock as a ledger of movements.

Words: location (one place in a warehouse that has a barcode), level (how much of a product is on a location), movement (a
quantity that went from one location to another, came or left), reservation (stock that an order will take).
"""
