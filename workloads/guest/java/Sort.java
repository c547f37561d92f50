// SPDX-License-Identifier: BSD-3-Clause
import org.apache.spark.api.java.JavaSparkContext;

/** Sorts lines: {@code Sort BEFORE INPUT OUTPUT}. */
public final class Sort {
  private static void sort(JavaSparkContext spark, String input, String output) {
    Session.lines(spark, input).sortBy(line -> line, true, spark.defaultParallelism()).saveAsTextFile(output);
  }

  public static void main(String[] arguments) throws Exception {
    Session.measure("sort", Sort::sort, arguments);
  }
}
