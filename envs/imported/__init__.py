"""Games that no rules file describes: matrices, files of other programs, and games of other libraries."""
