#pragma once
// What each command does, given its words; the exit code.

#include <span>
#include <string>
#include <vector>

#include "analysis/report/report.hpp"
#include "scenarios/app/command_line.hpp"
#include "scenarios/reader/scenario.hpp"
#include "sim/result/run.hpp"

namespace scenarios {

// run and sweep, around the simulation. Where results go: --out, or out/ and the scenario's file name.
std::string output_folder(const Command& command);
// Throws models::Error when `run` is given more points than it takes.
void check_point_count(const sim::ScenarioInfo& scenario, std::size_t count, const Command& command);
// What a kept run depends on beside its point.
std::string identity(const Scenario& scenario, const Command& command);
// Reports of the scenario, and the trace when asked for.
std::vector<const analysis::ReportRow*> outputs(const Scenario& scenario, const Command& command);
// Names every run whose status its scenario does not expect.
int verdict(const std::vector<Point>& points, const std::vector<sim::Run>& runs);

int verify(const Command& command);
int check(const Command& command);
int report(const Command& command);

}  // namespace scenarios
