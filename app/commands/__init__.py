"""Commands of a single file, and what all commands share: parsing, progress, errors."""
