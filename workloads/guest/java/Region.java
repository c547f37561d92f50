// SPDX-License-Identifier: BSD-3-Clause

/** The region of interest of a Java program. */
final class Region {
  private Region() {}

  /**
   * Runs a job as the region of interest, with a cold page cache. {@code arguments}: a small input,
   * on which the job runs before, so that Java has loaded and compiled it; the input; the output.
   */
  static void measure(Job job, String[] arguments) throws Exception {
    job.run(arguments[0], arguments[2] + ".before");
    mark("begin");
    job.run(arguments[1], arguments[2]);
    mark("end");
  }

  private static void mark(String what) throws Exception {
    if (new ProcessBuilder("region", what).inheritIO().start().waitFor() != 0) {
      throw new IllegalStateException("region " + what);
    }
  }
}
