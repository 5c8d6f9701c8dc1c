"""Operations of the address book."""
