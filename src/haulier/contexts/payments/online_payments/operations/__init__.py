"""Operations of online payments."""
