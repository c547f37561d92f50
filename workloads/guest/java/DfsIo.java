// SPDX-License-Identifier: BSD-3-Clause
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.TestDFSIO;
import org.apache.hadoop.util.ToolRunner;

/**
 * Runs Hadoop's TestDFSIO as a local MapReduce job of four map tasks at a time: {@code DfsIo
 * write|read FOLDER FILES MIB} writes or reads files of so many MiB. Before reading it writes them,
 * outside the region of interest.
 */
public final class DfsIo {
  private static void test(String way, String folder, String files, String mebibytes)
      throws Exception {
    Files.createDirectories(Path.of(folder));
    Configuration configuration = new Configuration();
    configuration.set("test.build.data", folder);
    configuration.set("hadoop.tmp.dir", folder + "/tmp");
    configuration.set("mapreduce.task.io.sort.mb", "1"); // 100 by default, more than its files have
    configuration.set("mapreduce.local.map.tasks.maximum", "4");
    String[] arguments = {
      "-" + way, "-nrFiles", files, "-size", mebibytes + "MB", "-resFile", folder + "/result"
    };
    if (ToolRunner.run(configuration, new TestDFSIO(), arguments) != 0) {
      throw new IllegalStateException("TestDFSIO -" + way);
    }
  }

  public static void main(String[] arguments) throws Exception {
    String way = arguments[0];
    String folder = arguments[1];
    if (way.equals("read")) {
      test("write", folder, arguments[2], arguments[3]);
      test("write", folder + ".before", "4", "1");
    }
    Region.measure(
        (ignored, place) -> {
          if (place.equals(folder)) test(way, folder, arguments[2], arguments[3]);
          else test(way, folder + ".before", "4", "1");
        },
        new String[] {"", "", folder});
    System.out.println(Files.readString(Path.of(folder, "result")));
  }
}
