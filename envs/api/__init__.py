"""Games as environments of PettingZoo, Gymnasium and Stable-Baselines3."""
