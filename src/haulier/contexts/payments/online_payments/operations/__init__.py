"""Operations on online payments."""
