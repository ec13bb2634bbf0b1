"""The process of which Python's workers are copies: it has imported what they need, once for all.

python -m tocsin.spark.daemon pyspark.worker, as Spark calls it in the sessions that we start.
"""

from __future__ import annotations

import gc

import numpy as np
from pyspark.daemon import manager

import tocsin.spark.answers
import tocsin.spark.feeding
import tocsin.spark.packing
import tocsin.spark.partition  # noqa: F401
from tocsin.engine.sorting import by_key_and_time

if __name__ == "__main__":
    by_key_and_time(np.zeros(1, np.int64), np.zeros(1, np.int64))  # Numba's first call takes longer
    gc.freeze()
    manager()
