"""Accuracy of the library's values of policies: random pairs, each measured a second time by other means.

Prints a table in Markdown with a row for each family of pairs, and writes the result of each pair as CSV.

python -m studies.values --family footsies --pairs 200
python -m studies.values --family soccer bodega-brawl --seed 1 --out runs/values.csv

The exact numbers are faster with ``pip install -r studies/values/requirements.txt``.
"""
