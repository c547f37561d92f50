// SPDX-License-Identifier: BSD-3-Clause
import org.apache.spark.api.java.JavaSparkContext;

/** Sorts lines: {@code Sort INPUT OUTPUT}. */
public final class Sort {
  public static void main(String[] arguments) throws Exception {
    try (JavaSparkContext spark = Session.open("sort")) {
      Region.begin();
      spark.textFile(arguments[0]).sortBy(line -> line, true, 2).saveAsTextFile(arguments[1]);
      Region.end();
      System.out.println("first line: " + spark.textFile(arguments[1]).first());
    }
  }
}
