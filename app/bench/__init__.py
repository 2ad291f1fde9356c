"""``nashzoo bench``: a learner of one's own by the protocol ``nashzoo-bench``."""
