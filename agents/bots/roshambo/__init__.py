"""The scripted players of Roshambo."""
