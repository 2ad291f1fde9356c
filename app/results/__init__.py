"""``nashzoo results``: all learners, searches and scripted players, measured exactly."""
