"""Operations on counts."""
