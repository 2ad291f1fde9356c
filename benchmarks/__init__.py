"""How fast nashzoo is, beside its peers in the same run: ``python -m benchmarks``, or ``make benchmark``."""
