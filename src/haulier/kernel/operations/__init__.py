"""Operations: declarations, registry, requests, answers and errors."""
