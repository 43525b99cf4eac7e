"""Generation of puzzles: searches games for them and proves every claim; without the players' tries."""
