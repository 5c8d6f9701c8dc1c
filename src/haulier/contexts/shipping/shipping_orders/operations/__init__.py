"""Operations of shipping orders."""
