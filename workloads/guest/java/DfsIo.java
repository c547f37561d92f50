// SPDX-License-Identifier: BSD-3-Clause
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * What the mappers of Hadoop's TestDFSIO do, without MapReduce: {@code DfsIo write|read FOLDER FILES
 * MIB} writes or reads files of so many MiB, 1,000,000 bytes at a time, through Hadoop's checksummed
 * local file system. Before reading it writes them, outside the region of interest.
 */
public final class DfsIo {
  private static final int BUFFER = 1_000_000; // TestDFSIO's default

  private static void write(FileSystem files, Path path, long bytes) throws Exception {
    byte[] buffer = new byte[BUFFER];
    for (int i = 0; i < BUFFER; i++) {
      buffer[i] = (byte) ('0' + i % 50);
    }
    try (FSDataOutputStream out = files.create(path, true)) {
      for (long left = bytes; left > 0; left -= BUFFER) {
        out.write(buffer, 0, (int) Math.min(left, BUFFER));
      }
    }
  }

  private static long read(FileSystem files, Path path) throws Exception {
    byte[] buffer = new byte[BUFFER];
    long total = 0;
    try (FSDataInputStream in = files.open(path)) {
      for (int count; (count = in.read(buffer)) > 0; ) {
        total += count;
      }
    }
    return total;
  }

  public static void main(String[] arguments) throws Exception {
    boolean reads = arguments[0].equals("read");
    int count = Integer.parseInt(arguments[2]);
    long bytes = Long.parseLong(arguments[3]) << 20;
    FileSystem files = FileSystem.getLocal(new Configuration());
    if (reads) {
      for (int i = 0; i < count; i++) {
        write(files, new Path(arguments[1], "io_" + i), bytes);
      }
    }
    Region.begin();
    long total = 0;
    for (int i = 0; i < count; i++) {
      Path path = new Path(arguments[1], "io_" + i);
      if (reads) {
        total += read(files, path);
      } else {
        write(files, path, bytes);
        total += files.getFileStatus(path).getLen();
      }
    }
    if (!reads && new ProcessBuilder("sync").inheritIO().start().waitFor() != 0) {
      throw new IllegalStateException("sync");
    }
    Region.end();
    System.out.println("bytes: " + total);
  }
}
