"""How a player is named on the command line, for the help."""

LOADS_CODE = "a .zip runs code when it is loaded: load only what you trust"
PLAYER = f"an agent's name, a saved model ({LOADS_CODE}), or a class (./bots.py:Mine)"
