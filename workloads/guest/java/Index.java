// SPDX-License-Identifier: BSD-3-Clause
import java.io.BufferedReader;
import java.io.RandomAccessFile;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
 * Index BEFORE INPUT OUTPUT}. Four tasks each make an index of a quarter of the input.
 */
public final class Index {
  private static final int TASKS = 4;
  private static final double BUFFER = 2; // MiB of a segment: a part of the input, as at full scale

  private static void add(IndexWriter writer, String page) throws Exception {
    String[] parts = page.split(" ", 3);
    Document document = new Document();
    document.add(new StringField("class", parts[0], Field.Store.YES));
    document.add(new StringField("page", parts[1], Field.Store.YES));
    document.add(new TextField("text", parts[2], Field.Store.YES));
    writer.addDocument(document);
  }

  /** Indexes the lines that begin in a task's quarter of the input, which is ASCII. */
  private static Void index(String input, String output, int task) throws Exception {
    IndexWriterConfig configuration =
        new IndexWriterConfig(new StandardAnalyzer())
            .setRAMBufferSizeMB(BUFFER)
            .setMergeScheduler(new SerialMergeScheduler());
    try (RandomAccessFile file = new RandomAccessFile(input, "r");
        FSDirectory folder = FSDirectory.open(Path.of(output, "part-" + task));
        IndexWriter writer = new IndexWriter(folder, configuration)) {
      long begin = file.length() * task / TASKS;
      long end = file.length() * (task + 1) / TASKS;
      file.seek(Math.max(0, begin - 1));
      BufferedReader pages =
          new BufferedReader(Channels.newReader(file.getChannel(), StandardCharsets.US_ASCII));
      long place = begin == 0 ? 0 : begin + pages.readLine().length(); // the line before ends there
      for (String page; place < end && (page = pages.readLine()) != null; ) {
        add(writer, page);
        place += page.length() + 1;
      }
    }
    return null;
  }

  private static void index(String input, String output) throws Exception {
    ExecutorService tasks = Executors.newFixedThreadPool(TASKS);
    try {
      List<Future<Void>> done = new ArrayList<>();
      for (int task = 0; task < TASKS; task++) {
        int number = task;
        done.add(tasks.submit(() -> index(input, output, number)));
      }
      for (Future<Void> one : done) one.get();
    } finally {
      tasks.shutdownNow();
    }
  }

  public static void main(String[] arguments) throws Exception {
    Region.measure(Index::index, arguments);
  }
}
