// SPDX-License-Identifier: BSD-3-Clause
import java.util.Arrays;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.mllib.clustering.KMeans;
import org.apache.spark.mllib.clustering.KMeansModel;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;

/**
 * Groups samples, lines of numbers, by MLlib's k-means, and writes the group of each: {@code
 * KMeansClusters BEFORE INPUT OUTPUT}.
 */
public final class KMeansClusters {
  private static final int CLUSTERS = 10; // HiBench's defaults
  private static final int ROUNDS = 5;

  private static void group(JavaSparkContext spark, String input, String output) {
    JavaRDD<Vector> samples =
        Session.lines(spark, input)
            .map(
                line ->
                    Vectors.dense(
                        Arrays.stream(line.split(" ")).mapToDouble(Double::parseDouble).toArray()))
            .cache();
    KMeansModel model =
        new KMeans().setK(CLUSTERS).setMaxIterations(ROUNDS).setSeed(1).run(samples.rdd());
    samples.map(sample -> model.predict(sample)).saveAsTextFile(output);
    samples.unpersist();
  }

  public static void main(String[] arguments) throws Exception {
    Session.measure("kmeans", KMeansClusters::group, arguments);
  }
}
