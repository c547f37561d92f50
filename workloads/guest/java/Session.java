// SPDX-License-Identifier: BSD-3-Clause
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** What all Spark jobs run in: one process, one thread, shuffles in Java's temporary folder. */
final class Session {
  private Session() {}

  static JavaSparkContext open(String name) {
    SparkConf configuration =
        new SparkConf()
            .setAppName(name)
            .setMaster("local[1]")
            .set("spark.ui.enabled", "false")
            .set("spark.local.dir", System.getProperty("java.io.tmpdir"));
    JavaSparkContext spark = new JavaSparkContext(configuration);
    spark.setLogLevel("WARN");
    return spark;
  }
}
