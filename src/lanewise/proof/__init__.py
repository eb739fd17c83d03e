"""Whether two meanings agree for all inputs: theorems, their proofs and their counterexamples."""
