"""Operations: their declarations, the registry, requests, answers and errors."""
