// SPDX-License-Identifier: BSD-3-Clause

/** The region of interest, which programs of the guest begin and end. */
final class Region {
  private Region() {}

  /** Drops the page cache, calibrates the capture, and begins the region. */
  static void begin() throws Exception {
    run("begin");
  }

  static void end() throws Exception {
    run("end");
  }

  private static void run(String what) throws Exception {
    if (new ProcessBuilder("region", what).inheritIO().start().waitFor() != 0) {
      throw new IllegalStateException("region " + what);
    }
  }
}
