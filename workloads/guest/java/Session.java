// SPDX-License-Identifier: BSD-3-Clause
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * What all Spark jobs run in: one process and four tasks at a time; shuffles in Java's temporary
 * folder.
 */
final class Session {
  private Session() {}

  /** What a Spark job does with an input and a place for its results. */
  interface Work {
    void run(JavaSparkContext spark, String input, String output) throws Exception;
  }

  /** An input's lines, in as many parts as tasks run at a time. */
  static JavaRDD<String> lines(JavaSparkContext spark, String input) {
    return spark.textFile(input, spark.defaultParallelism());
  }

  static void measure(String name, Work work, String[] arguments) throws Exception {
    SparkConf configuration =
        new SparkConf()
            .setAppName(name)
            .setMaster("local[4]")
            .set("spark.ui.enabled", "false")
            .set("spark.local.dir", System.getProperty("java.io.tmpdir"));
    try (JavaSparkContext spark = new JavaSparkContext(configuration)) {
      spark.setLogLevel("WARN");
      Region.measure((input, output) -> work.run(spark, input, output), arguments);
      System.out.println("first result: " + spark.textFile(arguments[2]).first());
    }
  }
}
