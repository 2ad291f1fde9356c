"""Games without a rules file: matrices, files of other programs, and games of other libraries."""
