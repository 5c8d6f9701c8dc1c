"""Field kinds: values as people type and read them."""
