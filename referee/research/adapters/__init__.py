"""The games in PettingZoo and in OpenSpiel. Each module needs its library; nothing else of the room imports them."""
