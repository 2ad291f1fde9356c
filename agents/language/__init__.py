"""Language models as players, by the chat completions protocol."""
