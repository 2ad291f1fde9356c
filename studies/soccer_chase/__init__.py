"""The chase in grid soccer: prints the tables of ``docs/soccer_chase.md`` and draws its pictures.

python -m studies.soccer_chase
python -m studies.soccer_chase --param width=11 height=7 goal_height=3 --depths 2 4 --out runs/chase

Everything is from the side of the player with the ball, the *holder*; the other one is the *hunter*. For a blue holder
the field is mirrored, so that the holder always attacks to the right.
"""
