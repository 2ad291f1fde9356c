"""What is known of mistakes of code for self-play: the probes that fail with each.

``seats`` says that both seats fail, and ``seats:1`` that seat 1 does; ``one_state:opposite`` that the policy does the
opposite of what it should, and ``frozen:changed`` that an opponent has changed.
``python -m studies.trainer_bugs`` prints these patterns.
"""

SUSPECTS = {
    "the reward's sign is not turned for player 1": (
        "one_state:1 one_state:opposite seats:1 card:1 chance:1 delay:1 masks:1 reply:1 ending:1 truncation:1 "
        "cycle opponents:1 frozen:1"
    ),
    "each seat has the other's reward": (
        "one_state one_state:opposite seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "rewards are clipped to -1..1": "chance masks",
    "the reward is stored a step late": "one_state seats card chance delay masks reply truncation opponents frozen",
    "rewards are added to those of the last iteration": "chance:1 masks:0 truncation:1 opponents",
    "the observation stored is the one before": "card delay masks truncation opponents",
    "players act on the observation before": "card delay masks truncation opponents",
    "every seat has the other's observation": "seats card ending truncation opponents",
    "all stored observations are the last, in one buffer": "card delay truncation opponents",
    "the action stored is another one than was played": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the probability stored is that of another action": "seats:0 chance delay truncation opponents",
    "actions are drawn without the mask": "masks",
    "the update is without the mask": "masks:1",
    "every seat has the other's mask": "masks",
    "the mask is the one before": "masks",
    "only seat 0 learns": "seats:1 card:1 masks:1 ending:1 truncation:1 opponents:1",
    "play that ends goes on in the next game's value": "ending truncation:1",
    "advantages go on over the end of a game": "truncation",
    "the end is not noted at all": "ending truncation",
    "the end is noted a step late": "delay ending truncation",
    "a game that is cut off counts as ended": "truncation",
    "a game that is cut off goes on in the next one's start": "truncation",
    "the value of the other's turn has its sign": "reply",
    "gamma is 0": "delay reply ending truncation",
    "advantages are summed forwards": "delay reply truncation opponents:0",
    "advantages have the wrong sign": (
        "one_state one_state:opposite seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the ratio is inverted": (
        "one_state one_state:opposite seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the clipping takes the larger gain": "chance:0 ending:1 cycle opponents",
    "the entropy bonus has the wrong sign": "truncation:0 cycle",
    "the value is not learned": "ending truncation",
    "the value learns itself": "ending truncation",
    "the optimizer has the critic alone": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the policy's gradient is cut off": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "actions are in another order than observations": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "the learning rate falls at once": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "logits go through a softmax first": "one_state seats card chance delay masks reply truncation opponents frozen",
    "the policy returned plays its most likely action": "masks:0 cycle",
    "the policy returned is the one before training": (
        "one_state seats card chance delay masks reply ending truncation opponents frozen"
    ),
    "players are drawn for every move": "opponents",
    "the opponent learns, too": "frozen:changed",
    "the opponent's actions are learned": "opponents",
    "one opponent alone is met": "opponents",
    "the learner has seat 0 alone against opponents": "opponents:1",
}
