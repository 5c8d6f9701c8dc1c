"""A simulated Stripe: PaymentIntents, refunds, disputes and signed events, which fails on demand."""
