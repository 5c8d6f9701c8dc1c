"""Operations for postings, claims and driver rules."""
