"""Detection in a stream: rows packed by bucket, state kept by Spark, the batch's answer."""
