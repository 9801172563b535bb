"""The formats: each module of this folder is one, and nothing else is in here.

What a module has to have is in ../README.md; what several of them share is beside that.
"""
