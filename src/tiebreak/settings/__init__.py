"""What a command or a protocol can be told: records whose fields say their name, meaning, range and default.

Options of commands, keys of protocol files and the reference page are made from them.
"""
