"""Operations of SMS marketing."""
