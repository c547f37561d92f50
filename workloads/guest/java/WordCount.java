// SPDX-License-Identifier: BSD-3-Clause
import java.util.Arrays;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Counts words: {@code WordCount BEFORE INPUT OUTPUT}. */
public final class WordCount {
  private static void count(JavaSparkContext spark, String input, String output) {
    Session.lines(spark, input)
        .flatMap(line -> Arrays.asList(line.split(" ")).iterator())
        .mapToPair(word -> new Tuple2<>(word, 1L))
        .reduceByKey(Long::sum)
        .saveAsTextFile(output);
  }

  public static void main(String[] arguments) throws Exception {
    Session.measure("wordcount", WordCount::count, arguments);
  }
}
