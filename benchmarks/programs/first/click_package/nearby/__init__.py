# function: similar
# share: 94
# caller: search
# command: -m nearby --limit 3 customer invoice shipment
"""A command that finds words alike, as a package that is run with -m."""
