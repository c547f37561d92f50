// SPDX-License-Identifier: BSD-3-Clause
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.store.FSDirectory;

/**
 * Indexes pages, lines of class, number and words, by Lucene, as Nutch's indexing does: {@code
 * Index BEFORE INPUT OUTPUT}.
 */
public final class Index {
  private static final double BUFFER = 2; // MiB of a segment: a part of the input, as at full scale

  private static void index(String input, String output) throws Exception {
    IndexWriterConfig configuration =
        new IndexWriterConfig(new StandardAnalyzer())
            .setRAMBufferSizeMB(BUFFER)
            .setMergeScheduler(new SerialMergeScheduler());
    try (BufferedReader pages = Files.newBufferedReader(Path.of(input));
        FSDirectory folder = FSDirectory.open(Path.of(output));
        IndexWriter writer = new IndexWriter(folder, configuration)) {
      for (String page; (page = pages.readLine()) != null; ) {
        String[] parts = page.split(" ", 3);
        Document document = new Document();
        document.add(new StringField("class", parts[0], Field.Store.YES));
        document.add(new StringField("page", parts[1], Field.Store.YES));
        document.add(new TextField("text", parts[2], Field.Store.YES));
        writer.addDocument(document);
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    Region.measure(Index::index, arguments);
  }
}
