"""Numbers of things in words."""


def counted(number: float, word: str) -> str:
    """Returns a number of things in words.

    >>> counted(1, "move"), counted(8953, "state"), counted(2, "match"), counted(2.5, "point")
    ('1 move', '8,953 states', '2 matches', '2.5 points')
    """
    text = f"{number:g}" if isinstance(number, float) else f"{number:,}"
    return f"{text} {word}" if number == 1 else f"{text} {word}{'es' if word.endswith('ch') else 's'}"
