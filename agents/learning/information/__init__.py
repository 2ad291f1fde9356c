"""Learners for games with hidden information: counterfactual regret minimization, whole or by sampling."""
