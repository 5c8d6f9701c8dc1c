"""Operations of receiving."""
