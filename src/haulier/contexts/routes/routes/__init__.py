"""Routes: a driver's stops on a day from a depot, planned and then observed. Times are planned or observed, not predicted."""
