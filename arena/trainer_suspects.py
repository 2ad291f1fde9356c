"""What is known of mistakes of code for self-play: the probes that fail with each, and what to change.

``seats`` says that both seats fail, and ``seats:1`` that seat 1 does; ``one_state:opposite`` that the policy is worse
than uniform play, and ``frozen:changed`` that the opponent's probabilities have changed. After ``or`` stands what fails
if each seat has parameters of its own.
``python -m studies.trainer_bugs`` prints these patterns.
"""

from typing import NamedTuple


class Suspect(NamedTuple):
    """A known mistake: what to change, what fails with it, and whether it is made where players move in turn alone."""

    change: str
    failed: str
    in_turn: bool = False


SUSPECTS = {
    "the reward is not negated for player 1": Suspect("Give each player its own reward: player 1's is minus player 0's",
        "one_state:1 one_state:opposite seats:1 card:1 chance:1 delay:1 masks:1 reply:1 ending:1 truncation:1 "
        "opponents:1 frozen:1 or "
        "one_state:1 one_state:opposite seats:1 card:1 chance:1 delay:1 masks:1 reply ending:1 truncation:1 "
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
    "observations are normalized in training alone": Suspect(
        "Save the mean and deviation, and normalize for play too, as by VecNormalize.save",
        "seats:0 ending:0 opponents"),
    "observations of one seat are normalized": Suspect("Normalize both seats by the same numbers",
        "seats:1 ending:1 opponents:1"),
    "the observation stored is that of the next step": Suspect("Store the observation before the step",
        "card delay masks truncation opponents"),
    "both seats see player 0's observation": Suspect("Ask the environment for each player's own observation",
        "seats card:1 ending truncation opponents"),
    "the mask is inverted": Suspect("1 in the mask means legal: fill the logits where it is 0",
        "one_state seats card chance delay masks reply ending truncation opponents frozen"),
    "the logits are multiplied by the mask": Suspect(
        "Set the logits of illegal actions to minus infinity; a logit of 0 is a choice",
        "masks"),
    "games of training are played greedily": Suspect("Draw actions in training, as with deterministic=False",
        "seats:1 card chance delay masks reply:1 ending:0 truncation:0 opponents:1"),
    "both seats draw with the same random numbers": Suspect(
        "Give each player a random generator of its own, or one to all",
        "one_state:0 chance delay"),
    "the target of the value is player 0's in both seats": Suspect(
        "Make reward, value and target those of the player who acts",
        "masks:0 ending:1 truncation:1"),
    "the next value is the other seat's": Suspect("Take the next value of the same player, or negate the other's",
        "ending truncation"),
    "both seats have the sum of their rewards": Suspect("Train on each player's reward, not on the team's",
        "one_state seats card chance delay masks ending truncation opponents frozen"),
    "rewards are reduced to their sign": Suspect("Leave out reward clipping, such as ClipRewardEnv",
        "chance delay masks reply ending truncation"),
    "a truncated game goes on into the next": Suspect("Stop advantages at truncation too, after bootstrapping",
        "truncation:0"),
    "the opponent stays untrained": Suspect("Copy the learner to the opponent again and again",
        "reply"),
    "the next seat's observation comes with the mover's reward": Suspect(
        "Keep a trajectory for each agent, or put the opponent inside the environment",
        "one_state:0 one_state:opposite seats:0 card:0 chance:0 delay:0 masks:0 reply ending:0 truncation:0", True),
    "the reward is that of the seat to move next": Suspect(
        "Keep a trajectory for each agent; last() is about the agent that moves next",
        "one_state:1 one_state:opposite seats:1 card:1 chance:1 delay:1 masks:1 reply ending:1 truncation:1", True),
    "the reward is read before the other has replied": Suspect("Take the reward from last() at the agent's next turn",
        "one_state:0 seats:0 card:0 chance:0 masks:0 reply ending:0 truncation:0", True),
    "the last reward is lost": Suspect("Read last() of agents that have ended, before they step with None",
        "one_state seats card chance delay masks reply ending truncation", True),
    "the last reward of who leaves the game second is lost": Suspect("Let agent_iter() run until all agents have left",
        "one_state:1 seats:1 card:1 chance:1 delay:1 masks:1 reply ending:1 truncation", True),
    "every game has the same seed": Suspect("Pass the seed to the first reset only",
        "card chance:1 masks ending:0 truncation:0"),
}  # fmt: skip
