"""What is known of mistakes of code for self-play: the probes that fail with each.

``seats`` says that both seats fail, and ``seats:1`` that seat 1 does; ``one_state:opposite`` that the policy is worse
than uniform play, and ``frozen:changed`` that the opponent's probabilities have changed.
``python -m studies.trainer_bugs`` prints these patterns.
"""

SUSPECTS = {
    "the reward is not negated for player 1": (
        "one_state:1 one_state:opposite seats:1 card:1 chance:1 delay:1 masks:1 reply:1 ending:1 truncation:1 "
        "opponents:1 frozen:1"
    ),
    "each seat has the other's reward": (
        "one_state one_state:opposite seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "rewards are clipped to -1..1": "chance masks",
    "the reward is stored a step late": "one_state seats card chance delay masks reply truncation opponents frozen",
    "rewards are added to those of the last rollout": "chance delay masks truncation:1 opponents",
    "the observation stored is that of the step before": "card delay masks truncation opponents",
    "players act on the observation of the step before": "card delay masks truncation opponents",
    "every seat has the other's observation": "seats card ending truncation opponents",
    "all stored observations are the last, in one buffer": "card delay truncation opponents",
    "the action stored is not the one that was played": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the log-probability stored is that of another action": "seats:0 chance delay truncation opponents",
    "actions are drawn without the mask": "masks",
    "the update is without the mask": "masks:1",
    "every seat has the other's mask": "masks",
    "the mask is that of the step before": "masks",
    "only seat 0 learns": "seats:1 card:1 masks:1 ending:1 truncation:1 opponents:1",
    "the value is bootstrapped over the end of a game": "ending truncation:1",
    "advantages are summed over the end of a game": "card chance masks truncation",
    "the done flag is ignored": "chance masks ending truncation",
    "the done flag is stored a step late": "delay ending truncation opponents:0",
    "truncation counts as termination": "truncation",
    "a truncated game is bootstrapped from the start of the next": "truncation",
    "the value is not negated where the turn passes": "reply",
    "gamma is 0": "delay reply ending truncation",
    "advantages are summed forwards": "delay reply truncation opponents",
    "advantages have the wrong sign": (
        "one_state one_state:opposite seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the ratio is inverted": (
        "one_state one_state:opposite seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the clipped objective takes the maximum": "ending:1",
    "the entropy bonus has the wrong sign": "truncation",
    "the value loss is missing": "ending truncation",
    "the target of the value is its own prediction": "ending truncation",
    "the optimizer lacks the parameters of the actor": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the policy loss is detached": ("one_state seats card chance delay masks reply ending truncation opponents frozen"),
    "actions are in another order than observations": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the learning rate decays at once": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the policy returned is greedy": "cycle",
    "the policy returned is the one before training": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "opponents are ignored, as by equilibrium play": "opponents",
    "the opponent is drawn anew at every move": "opponents",
    "the opponent learns, too": "frozen:changed",
    "the update includes the opponent's actions": "opponents:0",
    "only one opponent is met": "opponents",
    "the learner has only seat 0 against opponents": "opponents:1",
}
