"""analysis/timeline_slowest.py and its table: which single calls took longest, when, below what."""

import tracer
from timelines import place, run_of
from tracer.analysis.timeline_slowest import slowest_calls
from tracer.report.timeline_calls import slowest_table

SHOP = """
<module>@main 0-10000
  main@main 100-9900
    view@main 200-1200
      loads@json 300-1150
        scan 320-1149
    view@main 1300-1400
    view@main 2000-8000
      loads@json 2000-2300
      parse@helpers 3000-7800
        sleep 3000-7790
    view@main 8000-9000
"""


def test_calls():
    for call in slowest_calls(run_of(SHOP), 5):
        print(call)
    for line in slowest_table(run_of(SHOP), slowest_calls(run_of(SHOP), 5), 100, place):
        print(line)
    assert 0
