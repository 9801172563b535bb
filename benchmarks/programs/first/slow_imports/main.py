# function: import pandas
# share: 98
# caller: figures
# command: main.py
"""Two small figures. Most of the time goes into what one module imports for them."""

import figures

print(figures.mean([3, 4, 8]), figures.middle([3, 4, 8]))
