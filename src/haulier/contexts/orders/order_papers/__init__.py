"""Order papers: labels and packing slips as verifiable documents."""
