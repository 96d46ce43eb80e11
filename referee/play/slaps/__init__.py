"""Timing slap windows: one bot at a time, while everything else on the machine is kept quiet.

Knows bots and their pipes; it must not know the rules of the slaps, nor the conversation.
"""
