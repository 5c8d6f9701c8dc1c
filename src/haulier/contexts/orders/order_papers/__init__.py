"""The papers of orders: labels and packing slips, as documents that anybody can verify."""
