"""Live rooms: WebSocket updates of a room and its lanes; changes of a room are made in `games.races`."""
