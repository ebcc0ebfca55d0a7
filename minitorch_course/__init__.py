"""What instructors use: the student kit, the example class, grading. Plain Python; see `minitorch --help`."""
