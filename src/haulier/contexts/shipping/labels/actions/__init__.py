"""Labels: what other families and jobs do with them."""
