#include "scenarios/app/wire.hpp"

namespace scenarios {

std::string packed(const std::vector<models::Diagnostic>& diagnostics) {
  Packer out;
  out.number(diagnostics.size());
  for (const models::Diagnostic& one : diagnostics) {
    out.text(one.place.file);
    out.number(one.place.line);
    out.number(one.place.column);
    out.text(one.place.excerpt);
    out.text(one.message);
    out.text(one.hint);
  }
  return out.take();
}

std::vector<models::Diagnostic> unpacked_diagnostics(std::string_view bytes) {
  Unpacker in(bytes);
  std::vector<models::Diagnostic> diagnostics(in.number<std::size_t>());
  for (models::Diagnostic& one : diagnostics) {
    one.place.file = in.text();
    one.place.line = in.number<int>();
    one.place.column = in.number<int>();
    one.place.excerpt = in.text();
    one.message = in.text();
    one.hint = in.text();
  }
  return diagnostics;
}

std::string packed(const sim::Trajectory& trajectory) {
  Packer out;
  out.number(trajectory.rows.size());
  for (const sim::Trajectory::Row& row : trajectory.rows) out.number(row);
  out.number(trajectory.steps_done);
  out.number(trajectory.diverged_at);
  out.number(trajectory.interrupted);
  out.number(trajectory.stuck);
  out.number(trajectory.notes.size());
  for (const auto& [name, value] : trajectory.notes) {
    out.text(name);
    out.number(value);
  }
  return out.take();
}

sim::Trajectory unpacked_trajectory(std::string_view bytes) {
  Unpacker in(bytes);
  sim::Trajectory trajectory;
  trajectory.rows.resize(in.number<std::size_t>());
  for (sim::Trajectory::Row& row : trajectory.rows) row = in.number<sim::Trajectory::Row>();
  trajectory.steps_done = in.number<std::int64_t>();
  trajectory.diverged_at = in.number<std::int64_t>();
  trajectory.interrupted = in.number<bool>();
  trajectory.stuck = in.number<bool>();
  const auto notes = in.number<std::size_t>();
  for (std::size_t i = 0; i < notes; ++i) {
    const std::string name = in.text();
    trajectory.notes[name] = in.number<double>();
  }
  return trajectory;
}

}  // namespace scenarios
