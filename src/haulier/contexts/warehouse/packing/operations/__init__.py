"""Operations on cartons and packing plans."""
