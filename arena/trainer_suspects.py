"""What is known of mistakes of code for self-play: the probes that fail with each, and what to change.

``seats`` says that both seats fail, and ``seats:1`` that seat 1 does; ``one_state:opposite`` that the policy is worse
than uniform play, and ``frozen:changed`` that the opponent's probabilities have changed.
``python -m studies.trainer_bugs`` prints these patterns.
"""

from typing import NamedTuple


class Suspect(NamedTuple):
    """A known mistake: what to change, and what fails with it."""

    change: str
    failed: str


SUSPECTS = {
    "the reward is not negated for player 1": Suspect("Give each player its own reward: player 1's is minus player 0's",
        "one_state:1 one_state:opposite seats:1 card:1 chance:1 delay:1 masks:1 reply:1 ending:1 truncation:1 "
        "opponents:1 frozen:1"),
    "each seat has the other's reward": Suspect(
        "Look up the reward by the player who acted, not by the one who is next",
        "one_state one_state:opposite seats card chance delay masks reply ending truncation opponents frozen"),
    "rewards are clipped to -1..1": Suspect("Leave rewards as they are, or divide all by one number",
        "chance masks"),
    "the reward is stored a step late": Suspect("Store the reward that a step returns with the action of that step",
        "one_state seats card chance delay masks reply truncation opponents frozen"),
    "rewards are added to those of the last rollout": Suspect("Set the buffer of rewards to 0 before each rollout",
        "chance delay masks truncation:1 opponents"),
    "the observation stored is that of the step before": Suspect(
        "Store the observation that the action was chosen from",
        "card delay masks truncation opponents"),
    "players act on the observation of the step before": Suspect(
        "Take the new observation before the next action is chosen",
        "card delay masks truncation opponents"),
    "every seat has the other's observation": Suspect("Look up the observation by the player who acts",
        "seats card ending truncation opponents"),
    "all stored observations are the last, in one buffer": Suspect("Copy each observation when it is stored",
        "card delay truncation opponents"),
    "the action stored is not the one that was played": Suspect("Draw the action once, then store and play that one",
        "one_state seats card chance delay masks reply ending truncation opponents frozen"),
    "the log-probability stored is that of another action": Suspect(
        "Compute the log-probability of the action that was stored",
        "seats:0 chance delay truncation opponents"),
    "actions are drawn without the mask": Suspect("Mask the logits before an action is drawn",
        "masks"),
    "the update is without the mask": Suspect("Store the masks, and use them in the update too",
        "masks:1"),
    "every seat has the other's mask": Suspect("Look up the mask by the player who acts",
        "masks"),
    "the mask is that of the step before": Suspect(
        "Read the mask together with the observation, after each step and reset",
        "masks"),
    "only seat 0 learns": Suspect("Store the decisions of both seats, or draw the learner's seat for every game",
        "seats:1 card:1 masks:1 ending:1 truncation:1 opponents:1"),
    "the value is bootstrapped over the end of a game": Suspect("Multiply the next value by 0 where a game has ended",
        "ending truncation:1"),
    "advantages are summed over the end of a game": Suspect("Set the sum of advantages to 0 where a game has ended",
        "card chance masks truncation"),
    "the done flag is ignored": Suspect("Stop values and advantages where a game has ended",
        "chance masks ending truncation"),
    "the done flag is stored a step late": Suspect(
        "Check whether done belongs to the step or to its observation, and shift it",
        "delay ending truncation opponents:0"),
    "truncation counts as termination": Suspect("Bootstrap from the last observation where a game was only cut off",
        "truncation"),
    "a truncated game is bootstrapped from the start of the next": Suspect(
        "Take the value of the last observation, before the reset",
        "truncation"),
    "the value is not negated where the turn passes": Suspect("Negate the next value where the other player moves next",
        "reply"),
    "gamma is 0": Suspect("Set gamma near 1",
        "delay reply ending truncation"),
    "advantages are summed forwards": Suspect("Sum advantages from the last step to the first",
        "delay reply truncation opponents"),
    "advantages have the wrong sign": Suspect(
        "An advantage is the return minus the value; the loss is minus the objective",
        "one_state one_state:opposite seats card chance delay masks reply ending truncation opponents frozen"),
    "the ratio is inverted": Suspect("The ratio is the new probability divided by the old one",
        "one_state one_state:opposite seats card chance delay masks reply ending truncation opponents frozen"),
    "the clipped objective takes the maximum": Suspect(
        "Take the minimum of the two objectives, or the maximum of the two losses",
        "ending:1"),
    "the entropy bonus has the wrong sign": Suspect("Subtract the entropy from the loss",
        "truncation"),
    "the value loss is missing": Suspect("Add the error of the value to the loss",
        "ending truncation"),
    "the target of the value is its own prediction": Suspect(
        "The value's target is advantage plus old value, without gradient",
        "ending truncation"),
    "the optimizer lacks the parameters of the actor": Suspect("Give the optimizer all parameters",
        "one_state seats card chance delay masks reply ending truncation opponents frozen"),
    "the policy loss is detached": Suspect("Keep the gradient of the new log-probability",
        "one_state seats card chance delay masks reply ending truncation opponents frozen"),
    "actions are in another order than observations": Suspect("Flatten all arrays of the buffer in the same order",
        "one_state seats card chance delay masks reply ending truncation opponents frozen"),
    "the learning rate decays at once": Suspect("Count the schedule in the unit of its total",
        "one_state seats card chance delay masks reply ending truncation opponents frozen"),
    "the policy returned is greedy": Suspect("Return the probabilities; play that must be mixed has no best action",
        "cycle"),
    "the policy returned is the one before training": Suspect("Return the network that was trained, after training",
        "one_state seats card chance delay masks reply ending truncation opponents frozen"),
    "opponents are ignored, as by equilibrium play": Suspect("Let the opponents that are given play the other seat",
        "opponents"),
    "the opponent is drawn anew at every move": Suspect("Draw an opponent only when a game starts",
        "opponents"),
    "the opponent learns, too": Suspect("Copy the network for the opponent, and train only one of them",
        "frozen:changed"),
    "the update includes the opponent's actions": Suspect("Leave the opponent's decisions out of the update",
        "opponents:0"),
    "only one opponent is met": Suspect("Draw the opponent anew for every game",
        "opponents"),
    "the learner has only seat 0 against opponents": Suspect("Draw the learner's seat for every game",
        "opponents:1"),
}  # fmt: skip
