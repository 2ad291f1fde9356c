"""The scripted player of tic-tac-toe, which learns."""

from nashzoo.agents.basic.entry import Entry
from nashzoo.envs.games.tictactoe.rules import NAME

PLAYERS = {
    "menace": Entry(
        "The learning matchboxes",
        "nashzoo.agents.learning.menace.agent:MenaceAgent",
        NAME,
        does="Draws beads from matchboxes. It learned from {games:,} games, not from yours. It is better if it begins.",
    )
}
