"""The scripted players of Roshambo."""

from nashzoo.agents.basic.entry import Entry
from nashzoo.envs.games.roshambo.rules import ACTIONS, NAME

PLAYERS = {
    name: Entry(title, f"{__name__}.{path}", NAME)
    for name, title, path in (
        ("roll", "The Tree Predictor", "counting:RollAgent"),
        ("constant", "The one with one idea", "fixed:ConstantAgent"),
        ("biased", "The one with a favourite", "fixed:BiasedAgent"),
        ("rotating", "Round and round", "fixed:RotatingAgent"),
        ("copy", "The Echo", "fixed:CopyAgent"),
        ("debruijn", "De Bruijn's sequence", "fixed:DeBruijnAgent"),
        ("pi", "The digits of pi", "fixed:PiAgent"),
        ("frequency", "Fictitious play", "counting:FrequencyAgent"),
        ("markov_k", "Markov chain of any order", "counting:MarkovAgent"),
        ("antirotation", "The one who sees circles", "counting:AntiRotationAgent"),
        ("recent", "The short memory", "memory:RecentAgent"),
        ("habits", "The creature of habit", "memory:HabitsAgent"),
        ("history", "The Historian", "history:HistoryAgent"),
        ("iocaine", "Iocaine", "history:IocaineAgent"),
        ("hedge", "Multiplicative weights", "counting:HedgeAgent"),
    )
} | {"mixture": Entry("The Parliament", f"{__name__}.mixture:MixtureAgent", NAME, actions=ACTIONS)}
