"""Bodega Brawl for people, as text and as a drawing."""

from collections.abc import Iterable

from nashzoo.envs.core.canvas import Canvas
from nashzoo.envs.core.rules import Ints
from nashzoo.envs.games.bodega_brawl import REGIONS, limits_and_cards
from nashzoo.envs.games.bodega_brawl_codes import DRAWN, PLAYING, TOTAL_LIMIT, WON0, WON1, decode, sides

# How the game stands, for people.
ENDINGS = {PLAYING: "", WON0: "won by player 0", WON1: "won by player 1", DRAWN: "a draw"}


def text(params: Ints, code: int) -> str:
    """Returns a line on how the game stands if there is something to say, and four lines for each player."""
    s = decode(code)
    lines = [*(["sudden death"] if s.sudden_death else []), *([ENDINGS[int(s.outcome)]] if s.outcome else [])]
    limits = limits_and_cards(params)[0]
    for player, (strikes, attacks, duals) in enumerate(sides(s)):
        suffered = [f"{count}/{limit}" for count, limit in zip(strikes, limits, strict=True)]
        lines.append(f"player {player}")
        lines.append(_line("strikes", suffered) + f"in all {sum(strikes)}/{params[TOTAL_LIMIT]}")
        lines.append(_line("attacks", attacks) + f"in all {sum(attacks)}")
        lines.append(_line("duals", duals) + f"in all {sum(duals)}")
    return "\n".join(lines)


def _line(title: str, counts: Iterable[object]) -> str:
    named = zip(REGIONS, counts, strict=True)
    return f"  {title:10}" + "".join(f"{f'{region.lower()} {count}':11}" for region, count in named)


def draw(params: Ints, code: int, canvas: Canvas) -> None:
    """Draws strikes (dots, as many as knock out) and cards (black attack-only, coloured dual) of both players."""
    s = decode(code)
    title = ENDINGS[int(s.outcome)] or ("sudden death" if s.sudden_death else f"{sum(s[6:12])} turns left")
    canvas.text(50, 5, title, 5)
    limits = limits_and_cards(params)[0]
    for player, (strikes, attacks, duals) in enumerate(sides(s)):
        left, colour = 4 + 50 * player, ("red", "blue")[player]
        canvas.text(left + 21, 14, f"player {player}   {sum(strikes)}/{params[TOTAL_LIMIT]}", 5, colour)
        for region, top in enumerate((20, 46, 72)):
            canvas.rectangle(left, top, 42, 24, "whitesmoke")
            canvas.text(left + 6, top + 4.5, REGIONS[region], 4)
            for k in range(limits[region]):
                canvas.circle(left + 15 + 4 * k, top + 4.5, 1.6, colour if k < strikes[region] else "lightgrey")
            for k in range(attacks[region] + duals[region]):
                canvas.rectangle(left + 1.2 + 4 * k, top + 11, 3.6, 11, "black" if k < attacks[region] else colour)
