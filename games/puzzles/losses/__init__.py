"""Why moves lose: proofs by the rules alone, simulated games, and what players are told and shown."""
