"""Operations on warehouses."""
