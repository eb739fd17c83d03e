"""Other implementations, each driven in a process of its own by the protocol of docs/conform.md."""
