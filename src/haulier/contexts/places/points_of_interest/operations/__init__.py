"""Operations on points of interest."""
