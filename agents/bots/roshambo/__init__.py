"""The scripted players of Roshambo."""

from nashzoo.agents.basic.entry import Entry
from nashzoo.envs.games.roshambo.rules import ACTIONS, NAME

PLAYERS = {
    name: Entry(title, f"{__name__}.{path}Agent", NAME, does=does)
    for name, title, path, does in (
        ("roll", "The Tree Predictor", "counting:Roll", "Expects you to react as before to a win or a loss."),
        ("constant", "The one with one idea", "fixed:Constant", "Always throws the same."),
        ("biased", "The one with a favourite", "fixed:Biased", "Has a favourite throw, which comes half of the time."),
        ("rotating", "Round and round", "fixed:Rotating", "Goes round all throws in the same order."),
        ("copy", "The Echo", "fixed:Copy", "Copies your last throw."),
        ("debruijn", "The long list", "fixed:DeBruijn", "Repeats a fixed list, with every run of {order} throws."),
        ("pi", "The digits of pi", "fixed:Pi", "Follows the digits of pi."),
        ("frequency", "The counter", "counting:Frequency", "Counts your throws, and beats the most frequent one."),
        ("markov_k", "The pattern finder", "counting:Markov", "Expects what came most after your last {order} throws."),
        ("antirotation", "The one who sees circles", "counting:AntiRotation", "Looks whether you go round in circles."),
        ("recent", "The short memory", "memory:Recent", "Expects what you threw lately after the same throw."),
        ("habits", "The creature of habit", "memory:Habits", "Has a fixed habit after each pair of throws."),
        ("history", "The Historian", "history:History", "Expects what came last time after the same throws."),
        ("iocaine", "Iocaine", "history:Iocaine", "Makes many guesses at your next throw, and keeps the best."),
        ("hedge", "The learner", "counting:Hedge", "Prefers the throws that would have won so far."),
    )
}  # fmt: skip
PLAYERS["mixture"] = Entry(
    "The Parliament",
    f"{__name__}.mixture:MixtureAgent",
    NAME,
    actions=ACTIONS,
    does="Weighs many guesses at your next throw.",
)
