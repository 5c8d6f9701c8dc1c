"""Operations of screens at sites."""
