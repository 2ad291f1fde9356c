"""Games written as users write them, each a rules file: ``nashzoo play nashzoo.examples.goofspiel``."""
