"""Training and evaluating language models by exact regret: a data set, matches in words, Kaggle's harness."""
