"""Ten lessons with exercises: notebooks for a class, their solutions, and a grader, all made from one page each."""
