"""Operations on load spaces and load plans."""
