"""Operations of picking."""
