// SPDX-License-Identifier: BSD-3-Clause
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/** The region of interest of a Java program. */
final class Region {
  private static final int ROUNDS = 6;
  private static final int QUIET = 2000; // ms in which no compilation ends: none is under way

  private Region() {}

  /**
   * Runs a job as the region of interest, with a cold page cache. {@code arguments}: a small input,
   * on which the job runs some times before, each time until Java's compilers have caught up, so
   * that little but compiled code is measured; the input; the output.
   */
  static void measure(Job job, String[] arguments) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      job.run(arguments[0], arguments[2] + ".before" + round);
      awaitCompilers();
    }
    mark("begin");
    job.run(arguments[1], arguments[2]);
    mark("end");
  }

  private static void awaitCompilers() throws InterruptedException {
    CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    long before;
    do {
      before = compilers.getTotalCompilationTime();
      Thread.sleep(QUIET);
    } while (compilers.getTotalCompilationTime() != before);
  }

  private static void mark(String what) throws Exception {
    if (new ProcessBuilder("region", what).inheritIO().start().waitFor() != 0) {
      throw new IllegalStateException("region " + what);
    }
  }
}
