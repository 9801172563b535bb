#!/usr/bin/env bash
# PySpark 4.3.0 with both of its Python profilers on: spark.python.profile=true, of RDDs, and
# spark.sql.pyspark.udf.profiler=perf, of UDFs. On CPython 3.12 and later a job with a Python UDF fails. The worker's
# task runs under cProfile already when the wrapper of the UDF enables another cProfile, and CPython refuses two of them
# in a process ("Another profiling tool is already active"). On CPython 3.11 the same job ends well.
# Needs Java 17 or later. Seen: "3.11: sum 90", "3.13: failed ValueError".
set -eu
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT
cat >"$t/p.py" <<'P'
import warnings; warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
from pyspark.sql.types import LongType
spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.python.profile", "true")
         .config("spark.sql.pyspark.udf.profiler", "perf").getOrCreate())
spark.sparkContext.setLogLevel("OFF")
double = udf(lambda x: x * 2, LongType())
try:
    print("sum", spark.range(10).select(double("id").alias("d")).groupBy().sum().collect()[0][0])
except Exception as error:
    text = str(error)
    print("failed", "ValueError" if "ValueError: Another profiling tool is already active" in text else text[-200:])
spark.stop()
P
bad=0
for v in 3.11 3.13; do
  PY=$(ls "$HOME"/.pyenv/versions/$v.*/bin/python 2>/dev/null | tail -n 1); [ -n "$PY" ] || PY=$(command -v python$v)
  "$PY" -m venv "$t/v"; "$t/v/bin/pip" install -q pyspark==4.3.0 pandas==2.3.3 pyarrow==26.0.1 setuptools
  got=$(PYSPARK_PYTHON="$t/v/bin/python" "$t/v/bin/python" "$t/p.py" 2>/dev/null | grep -E '^(sum|failed)'); echo "$v: $got"
  case "$v $got" in "3.11 sum 90"|"3.13 failed ValueError") ;; *) bad=1;; esac
  rm -rf "$t/v"
done
exit $bad
