// SPDX-License-Identifier: BSD-3-Clause
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Ranks pages by three rounds over links, lines of two numbers: {@code PageRank BEFORE INPUT
 * OUTPUT}.
 */
public final class PageRank {
  private static final int ROUNDS = 3;
  private static final double DAMPING = 0.85;

  private static void rank(JavaSparkContext spark, String input, String output) {
    JavaPairRDD<String, Iterable<String>> links =
        Session.lines(spark, input)
            .mapToPair(
                line -> {
                  String[] pages = line.split(" ");
                  return new Tuple2<>(pages[0], pages[1]);
                })
            .groupByKey()
            .cache();
    JavaPairRDD<String, Double> ranks = links.mapValues(targets -> 1.0);
    for (int round = 0; round < ROUNDS; round++) {
      ranks =
          links
              .join(ranks)
              .values()
              .flatMapToPair(
                  entry -> {
                    List<String> targets = new ArrayList<>();
                    entry._1().forEach(targets::add);
                    double share = entry._2() / targets.size();
                    return targets.stream().map(target -> new Tuple2<>(target, share)).iterator();
                  })
              .reduceByKey(Double::sum)
              .mapValues(sum -> 1 - DAMPING + DAMPING * sum);
    }
    ranks.saveAsTextFile(output);
  }

  public static void main(String[] arguments) throws Exception {
    Session.measure("pagerank", PageRank::rank, arguments);
  }
}
