#!/usr/bin/env bash
# PySpark 4.3.0 with spark.sql.pyspark.udf.profiler=perf, CPython 3.13: the profile of a Python UDF that takes a row at a
# time is mostly the cost of switching cProfile on and off. The wrapper enables and disables a profiler for each row, so
# `disable` is called once a row and has most of the profile's own time (.93 was seen). A pandas UDF of the same function
# is profiled once a batch, and its `disable` has next to nothing. Both tables count the calls of the function right.
# Needs Java 17 or later. Seen: 10,000 calls of `disable`, a share above half; of the pandas UDF 8 calls, a share below .2.
set -eu
PY=${PYTHON:-$(ls "$HOME"/.pyenv/versions/3.13.*/bin/python 2>/dev/null | tail -n 1)}; [ -n "$PY" ] || PY=$(command -v python3.13)
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT
"$PY" -m venv "$t/v"; "$t/v/bin/pip" install -q pyspark==4.3.0 "pandas==2.3.3" "pyarrow==26.0.1" setuptools
cat >"$t/p.py" <<'P'
import warnings; warnings.simplefilter("ignore")
import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf, pandas_udf
from pyspark.sql.types import LongType
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.pyspark.udf.profiler", "perf").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
def double(x): return x * 2
rows = udf(double, LongType())
@pandas_udf("long")
def batches(s: pd.Series) -> pd.Series: return s.map(double)
frame = spark.range(0, 10000, 1, 8)
frame.select(rows("id")).groupBy().sum().collect(); frame.select(batches("id")).groupBy().sum().collect()
for number, stats in sorted(spark._profiler_collector._perf_profile_results.items()):
    table = stats.stats
    own = sum(row[2] for row in table.values())
    off = [row for (file, line, name), row in table.items() if "disable" in name][0]
    calls = [row[0] for (file, line, name), row in table.items() if name == "double"][0]
    print("double", calls, "disable", off[0], "share", "%.2f" % (off[2] / own))
spark.stop()
P
PYSPARK_PYTHON="$t/v/bin/python" PYARROW_IGNORE_TIMEZONE=1 "$t/v/bin/python" "$t/p.py" 2>"$t/err" | tee "$t/out" || { tail -n 5 "$t/err"; exit 1; }
awk 'NR==1 {a = $2==10000 && $4==10000 && $6>.5} NR==2 {b = $2==10000 && $4==8 && $6<.2} END {exit !(a && b)}' "$t/out"
