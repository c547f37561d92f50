// SPDX-License-Identifier: BSD-3-Clause
import java.util.Arrays;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.mllib.classification.NaiveBayes;
import org.apache.spark.mllib.classification.NaiveBayesModel;
import org.apache.spark.mllib.feature.HashingTF;
import org.apache.spark.mllib.regression.LabeledPoint;

/**
 * Learns the classes of pages, lines of class, number and words, by MLlib's naive Bayes, and writes
 * what it takes each page for: {@code Bayes BEFORE INPUT OUTPUT}.
 */
public final class Bayes {
  private static final int FEATURES = 1 << 13;

  private static void learn(JavaSparkContext spark, String input, String output) {
    HashingTF frequencies = new HashingTF(FEATURES);
    JavaRDD<LabeledPoint> pages =
        Session.lines(spark, input)
            .map(
                line -> {
                  List<String> words = Arrays.asList(line.split(" "));
                  return new LabeledPoint(
                      Double.parseDouble(words.get(0)),
                      frequencies.transform(words.subList(2, words.size())));
                })
            .cache();
    NaiveBayesModel model = NaiveBayes.train(pages.rdd());
    pages
        .map(page -> (int) page.label() + " " + (int) model.predict(page.features()))
        .saveAsTextFile(output);
    pages.unpersist();
  }

  public static void main(String[] arguments) throws Exception {
    Session.measure("bayes", Bayes::learn, arguments);
  }
}
