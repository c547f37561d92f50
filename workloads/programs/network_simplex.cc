// SPDX-License-Identifier: BSD-3-Clause
//
// Minimum-cost flow on a random graph by LEMON's network simplex (Debian: liblemon-dev): pointer
// chasing in a spanning tree far larger than the caches, the access pattern of 429.mcf.
//
//   g++ -std=c++17 -O2 -o network_simplex network_simplex.cc
//   network_simplex NODES ARCS SEED
//
// Prints the optimal cost. A line on standard error and a marker `xchg %bx,%bx` (the start of a
// region of interest) follow the building of the graph, and another marker follows the solution.
#include <lemon/network_simplex.h>
#include <lemon/static_graph.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

static void marker() { __asm__ volatile("xchg %bx,%bx"); }

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s NODES ARCS SEED\n", argv[0]);
    return 2;
  }
  const int nodes = std::atoi(argv[1]);
  const int arcs = std::atoi(argv[2]);
  if (nodes < 2 || arcs < nodes) {
    std::fprintf(stderr, "%s: NODES must be at least 2, and ARCS at least NODES\n", argv[0]);
    return 2;
  }
  std::mt19937 random(static_cast<unsigned>(std::atoi(argv[3])));

  // A ring of expensive arcs makes every supply reachable. The other arcs are cheap and random.
  std::vector<std::pair<int, int>> ends;
  ends.reserve(arcs);
  for (int node = 0; node < nodes; node++) ends.emplace_back(node, (node + 1) % nodes);
  while (static_cast<int>(ends.size()) < arcs) {
    const int from = static_cast<int>(random() % nodes);
    ends.emplace_back(from, static_cast<int>(random() % nodes));
  }
  std::sort(ends.begin(), ends.end());

  using Graph = lemon::StaticDigraph;
  Graph graph;
  graph.build(nodes, ends.begin(), ends.end());
  Graph::ArcMap<int> capacity(graph), cost(graph);
  for (Graph::ArcIt arc(graph); arc != lemon::INVALID; ++arc) {
    const bool ring = graph.id(graph.target(arc)) == (graph.id(graph.source(arc)) + 1) % nodes;
    capacity[arc] = ring ? nodes : 1 + static_cast<int>(random() % 32);
    cost[arc] = ring ? 1000000 : 1 + static_cast<int>(random() % 10000);
  }
  Graph::NodeMap<int> supply(graph, 0);
  for (int i = 0; i < nodes / 2; i++) {
    supply[graph.node(static_cast<int>(random() % nodes))] += 1;
    supply[graph.node(static_cast<int>(random() % nodes))] -= 1;
  }

  lemon::NetworkSimplex<Graph, int, long long> simplex(graph);
  simplex.upperMap(capacity).costMap(cost).supplyMap(supply);
  std::fputs("solving\n", stderr);
  marker();
  const bool optimal = simplex.run() == decltype(simplex)::OPTIMAL;
  marker();
  if (!optimal) {
    std::fprintf(stderr, "%s: no optimal flow\n", argv[0]);
    return 1;
  }
  std::printf("%lld\n", simplex.totalCost<long long>());
  return 0;
}
