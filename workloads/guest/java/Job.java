// SPDX-License-Identifier: BSD-3-Clause

/** What a program does with an input; its results go to a folder that is not there yet. */
interface Job {
  void run(String input, String output) throws Exception;
}
