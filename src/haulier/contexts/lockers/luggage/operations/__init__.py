"""Operations of the luggage relay."""
