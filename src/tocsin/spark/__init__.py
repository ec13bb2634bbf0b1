"""Detection in Apache Spark. Imported only when a DataFrame is handed over."""
