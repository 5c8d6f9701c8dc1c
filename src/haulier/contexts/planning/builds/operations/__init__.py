"""Operations of route building."""
