# function: similar
# share: 88
# caller: search
# command: -m nearby --limit 3 customer invoice shipment
"""A command that finds words alike, as a package that is run with -m."""
