// SPDX-License-Identifier: BSD-3-Clause
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Counts words with Spark: {@code WordCount THREADS INPUT OUTPUT}. */
public final class WordCount {
  /** Runs a command of the guest, such as {@code region begin}. */
  private static void run(String... command) throws Exception {
    if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
      throw new IllegalStateException(String.join(" ", command));
    }
  }

  public static void main(String[] arguments) throws Exception {
    SparkConf configuration =
        new SparkConf()
            .setAppName("wordcount")
            .setMaster("local[" + arguments[0] + "]")
            .set("spark.ui.enabled", "false")
            .set("spark.local.dir", System.getProperty("java.io.tmpdir"));
    try (JavaSparkContext spark = new JavaSparkContext(configuration)) {
      spark.setLogLevel("WARN");
      run("region", "begin");
      spark
          .textFile(arguments[1])
          .flatMap(line -> Arrays.asList(line.split(" ")).iterator())
          .mapToPair(word -> new Tuple2<>(word, 1L))
          .reduceByKey(Long::sum)
          .saveAsTextFile(arguments[2]);
      run("region", "end");
      List<String> first = spark.textFile(arguments[2]).take(1);
      System.out.println("first count: " + first);
    }
  }
}
