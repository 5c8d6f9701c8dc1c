"""A delivery day, played by a pure HTTP client: it knows addresses and documents, and nothing of the code behind them."""
