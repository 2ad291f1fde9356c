"""``nashzoo mcp``: games and their exact solutions as tools for language models, by the Model Context Protocol."""
