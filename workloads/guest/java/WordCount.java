// SPDX-License-Identifier: BSD-3-Clause
import java.util.Arrays;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Counts words: {@code WordCount INPUT OUTPUT}. */
public final class WordCount {
  public static void main(String[] arguments) throws Exception {
    try (JavaSparkContext spark = Session.open("wordcount")) {
      Region.begin();
      spark
          .textFile(arguments[0])
          .flatMap(line -> Arrays.asList(line.split(" ")).iterator())
          .mapToPair(word -> new Tuple2<>(word, 1L))
          .reduceByKey(Long::sum)
          .saveAsTextFile(arguments[1]);
      Region.end();
      System.out.println("first count: " + spark.textFile(arguments[1]).first());
    }
  }
}
