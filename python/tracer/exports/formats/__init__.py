"""The formats: each module of this folder is one, and nothing else is in here.

../README.md says what a module must have. The helpers that formats share are one folder up.
"""
