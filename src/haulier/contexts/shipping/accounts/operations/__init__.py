"""Operations on carrier accounts."""
