"""Who is better than whom: matches, tournaments, and populations."""
