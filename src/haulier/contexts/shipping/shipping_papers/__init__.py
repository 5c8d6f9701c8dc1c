"""The papers of shipments: commercial invoices, and what a carrier signs for at the end of a day."""
