"""Operations on stock."""
