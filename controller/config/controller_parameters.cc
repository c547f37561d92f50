// SPDX-License-Identifier: BSD-3-Clause
#include "controller/config/controller_parameters.h"

#include "policies/policy.h"

namespace hmsim {

void ControllerParameters::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "controller");
  parameters.integer("channels", channels, {1, kMostChannelsOfNode}, "channels",
                     {"memory channels, each with its own DRAM ranks and NVDIMM; a number that is "
                      "not a power of two interleaves by division",
                      "the paper, Table III: 4; Skylake-SP: 6 (Linux skx_base.c); Zen 4: 12, 24 "
                      "(Linux drivers/ras/amd/atl)"});
  parameters.choice(
      "queues", queues, {{"unified", QueueLayout::unified}, {"split", QueueLayout::split}},
      {"one transaction queue for both classes, or one for each", "the paper, section V-A"});
  parameters.integer(
      "queue_depth", queue_depth, {1, 4096}, "entries",
      {"depth of the transaction queue per channel: for both classes (unified) or DRAM (split)",
       "the paper, Table III"});
  parameters.integer_or(
      "nvdimm_queue_depth", nvdimm_queue_depth, {1, 4096}, "auto", kOfModule, "entries",
      {"depth of the NVDIMM transaction queue per channel (split). auto: 128, with entries of a "
       "page 16 for each LUN of the channel if that is more, with nvdimm.attach: hbf 2 for each "
       "of hbf.outstanding; at most 4096",
       "128: the paper, Table III; 16: random page reads keep 97 % of the LUNs busy (closed "
       "network); 2: reads and writes"});
  parameters.choice("structure", structure,
                    {{"flat", QueueStructure::flat}, {"two_level", QueueStructure::two_level}},
                    {"schedule straight from the transaction queue, or from per-rank command "
                     "queues that it fills in order of arrival",
                     "two_level: DRAMSim2"});
  parameters.integer("command_queue_depth", command_queue_depth, {2, 4096}, "entries",
                     {"depth of each rank's command queue: issued, unfinished transactions (flat), "
                      "or two entries for each transaction in it (two_level)",
                      "the paper, Table III: 32"});
  parameters.integer_or(
      "nvdimm_command_queue_depth", nvdimm_command_queue_depth, {2, 4096}, "rank", kOfRank,
      "entries",
      {"two_level: depth of each NVDIMM's separate command queue, with two entries for each "
       "transaction until its last data beat; rank: command_queue_depth",
       "the paper, section VI-A: 32 for a rank; Table III: 4096 for the NVDIMM"});
  parameters.choice(
      "writes", writes, {{"mixed", WriteMode::mixed}, {"drained", WriteMode::drained}},
      {"mixed: DRAM writes compete with reads; drained: they wait and issue in batches",
       "mixed: DRAMSim2"});
  parameters.integer_or("drain_high", drain_high, {1, 4096}, "queue", kOfQueue, "entries",
                        {"drained: waiting DRAM writes that start a batch; queue: 3/4 of "
                         "controller.queue_depth",
                         "assumed"});
  parameters.integer_or("drain_low", drain_low, {0, 4096}, "queue", kOfQueue, "entries",
                        {"drained: waiting DRAM writes that end a batch; queue: 1/4 of "
                         "controller.queue_depth",
                         "assumed"});
  parameters.name_of("scheduler", scheduler, policy_names(PolicyKind::transaction_scheduler),
                     {"scheduler of the unified queue, or of the DRAM queue", ""});
  parameters.name_of("nvdimm_scheduler", nvdimm_scheduler,
                     policy_names(PolicyKind::transaction_scheduler),
                     {"scheduler of the NVDIMM queue (split)", ""});
  parameters.name_of(
      "arbiter", arbiter, policy_names(PolicyKind::bus_arbiter),
      {"arbiter: decides between the classes when both could take the data bus", ""});
  parameters.choice("contest", contest, {{"ready", Contest::ready}, {"legal", Contest::legal}},
                    {"ready: the arbiter decides when both classes have a data-bus command that "
                     "waits only for the bus turnaround; legal: when both are legal on one edge (a "
                     "stream of one class, which needs no gap, can then starve the other)",
                     "the paper, section V-A: both kinds are ready"});
  parameters.name_of("page_policy", page_policy, policy_names(PolicyKind::page_policy),
                     {"page policy: decides when to close rows that no queued request uses", ""});
  parameters.text(
      "address_map", address_map,
      {"fields of a DRAM line address, most significant first: row, bank, rank, "
       "column, channel, each once, and group in parts with bank groups; default: "
       "row|bank|rank|column|channel, with groups row|bank|rank|column|group|channel; or "
       "a list of masks of the byte address, one for each bit of channel, rank, group, "
       "bank, row and column, least significant first, whose parity is the bit; or "
       "mop4clxor, Ramulator 2.1's map; the NVDIMM interleaves channels by flash page",
       "assumed"});
  parameters.choice("bank_hash", bank_hash,
                    {{"none", BankHash::none}, {"xor", BankHash::exclusive_or}},
                    {"xor: the bank number is XORed with the low bits of the row",
                     "Zhang et al., permutation-based page interleaving, MICRO 2000"});
  parameters.choice(
      "channel_hash", channel_hash,
      {{"none", ChannelHash::none}, {"xor", ChannelHash::exclusive_or}},
      {"xor: each bit of a DRAM line's channel is XORed with every N-th bit of the line's number "
       "above it, N bits being the channel's number; needs a power of two of channels",
       "Pessl et al., DRAMA, USENIX Security 2016; Linux drivers/ras/amd/atl: bits of 64 KiB, "
       "2 MiB and 1 GiB"});
  parameters.choice(
      "ack", ack,
      {{"grant", AckMode::grant}, {"auto", AckMode::automatic}, {"nvdimm_p", AckMode::nvdimm_p}},
      {"grant: after an ack the host grants the data bus; auto: data follow without a grant; "
       "nvdimm_p: reads are answered on separate lines (read ready) and then granted (SEND), "
       "writes issue at once as far as credits allow",
       "grant: spec of NVDIMM-P, for all; auto: the paper, Fig. 11; nvdimm_p: after JESD304-4, of "
       "which only abstracts and patents are public"});
  {
    const ParameterSet::Scope own(parameters, "nvdimm_p");
    parameters.integer("credits", credits, {1, 4096}, "writes",
                       {"write credits: lines that the NVDIMM takes from the host before they have "
                        "a frame of the buffer; a credit returns when its line gets a frame (media "
                        "without a buffer: at most the entries of the write queue)",
                        "modelled: a page; the standard leaves it to the module"});
    parameters.integer("response_cycles", response_cycles, {1, 1000}, "cycles",
                       {"delay from a response's edge (read ready, credit) to the first edge on "
                        "which the host may act on it; responses take no slot of the command bus",
                        "modelled: as fast as a grant after an ack"});
  }
  parameters.integer("ack_slots", ack_slots, {0, 1}, "cycles",
                     {"command-bus cycles that an ack takes to return its address",
                      "the paper, section V-B: the address lines return the address"});
  parameters.integer_or("outstanding", outstanding, {1, 4096}, "queue", kWholeQueue, "commands",
                        {"NVDIMM commands of a channel that may wait for their ack, at most the "
                         "entries of the controller's queues; queue: all of these",
                         "assumed: the queues' depth; 1 makes a blocking device"});
  parameters.choice(
      "bus", bus, {{"shared", BusLayout::shared}, {"private", BusLayout::separate}},
      {"shared: the classes share the command and data buses; private: each has separate buses, an "
       "oracle without interference (bus statistics then average over both)",
       "private: the paper, section III: no bus conflicts"});
  parameters.time("starvation_limit", starvation_limit,
                  {"a transaction that has held its slot for longer goes first, the oldest before "
                   "others, under every scheduler and arbiter; 0s: no limit",
                   "off: the papers; some schedulers have a limit too (ATLAS)"});
}

}  // namespace hmsim
