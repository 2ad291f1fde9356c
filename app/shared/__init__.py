"""What commands share: options, parsing, progress, errors, and the words, tables and pictures of results."""
