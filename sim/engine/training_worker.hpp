#pragma once
// models::Worker in simulated time. TrainingRun is what the ranks of one job share; a worker itself is small, so that
// 65,536 fit.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/algorithm/worker.hpp"
#include "sim/engine/communicator.hpp"
#include "sim/engine/core.hpp"
#include "sim/numeric/exchange_numbers.hpp"
#include "sim/numeric/numeric_plane.hpp"
#include "sim/engine/queueing.hpp"
#include "sim/engine/recorder.hpp"
#include "sim/program/memory.hpp"
#include "sim/program/program.hpp"
#include "topologies/fabric/world.hpp"

namespace sim {

// PassTimes in the pieces a worker runs: what is one event stands as one number.
struct StepTimes {
  double overhead = 0.0;                         // before the first forward pass
  double forward = 0.0, earlier_backward = 0.0;  // all micro-batches; all but the last
  std::vector<double> bucket;                    // backward of the last micro-batch, bucket by bucket
};

class TrainingRun {
 public:
  // `trajectory`: numbers joined later; null with `plane` absent: timing only. `plane`: numbers inside the simulated
  // time.
  TrainingRun(const TrainingProgram& program, const topologies::World& world, Core& core, Player& player,
              const Options& options, const Trajectory* trajectory, std::unique_ptr<NumericPlane> plane);

  void spawn_workers();

  const TrainingProgram& program;
  const topologies::World& world;
  Core& core;
  Recorder recorder;
  StepMemory memory;  // of member 0: all ranks hold the same
  std::uint64_t seed;
  const Trajectory* trajectory;
  std::unique_ptr<NumericPlane> plane;
  Trajectory numbers;            // with a plane: what it gave
  std::vector<StepTimes> times;  // by World::devices

  double kernel_time(const models::Kernel& kernel, int device);
  models::Operation join(int member, const models::CollectiveCall& call, models::Average average,
                         const Contribution& contribution);
  bool communicating(std::int64_t joined) const { return joined > collectives_done_; }
  std::int64_t collectives_done() const { return collectives_done_; }
  // A member has ended `steps_done` steps; with a plane the loss is taken when the last one has.
  const Queueing& queueing() const { return queueing_; }
  void ended(int member, std::int64_t steps_done, double time_s);
  // Does the run end after `steps_done` steps?
  bool stops_after(std::int64_t steps_done) const {
    return trajectory != nullptr && !trajectory->stuck && steps_done >= trajectory->steps_done;
  }

 private:
  struct Evaluation {
    std::int64_t steps_done = 0;
    int arrived = 0;
    std::vector<std::vector<float>> weights;
  };
  void completed(const Communicator::Completion& completion);
  double wire_per_rank(const models::CollectiveCall& call, std::string_view algorithm);

  Communicator communicator_;
  std::deque<NumericCollective> numeric_;  // with a plane: collectives not yet ended, oldest first
  std::int64_t collectives_done_ = 0;
  std::deque<Evaluation> evaluations_;
  struct KernelTime {
    models::Kernel kernel;
    int device = 0;
    double seconds = 0.0;
  };
  std::vector<KernelTime> kernel_times_;
  struct Wire {
    models::CollectiveKind kind;
    std::string algorithm;
    double share = 0.0;
  };  // of elements x element_size
  std::vector<Wire> wires_;
  Queueing queueing_;

  std::vector<class TrainingWorker> workers_;
  std::vector<std::unique_ptr<models::Algorithm>> algorithms_;
};

class TrainingWorker final : public models::Worker, private EventSink {
 public:
  TrainingWorker(TrainingRun& run, int member);

  models::Rank rank() const override { return run_->program.group.ranks[static_cast<std::size_t>(member_)]; }
  int member() const override { return member_; }
  const models::Group& group() const override { return run_->program.group; }
  const models::Layout& layout() const override { return run_->program.layout; }
  std::int64_t steps() const override { return run_->program.job.steps; }
  Seconds now() const override { return run_->core.now(); }
  models::Stream stream(models::Purpose purpose, std::int64_t step, std::int64_t item) const override;
  models::Precision precision() const override { return run_->program.job.precision; }
  std::span<float> weights() override { return run_->plane ? run_->plane->weights(member_) : std::span<float>{}; }
  std::span<float> gradient() override { return run_->plane ? run_->plane->gradient(member_) : std::span<float>{}; }

  void begin_step(std::int64_t step) override;
  models::Operation next_bucket() override;
  models::Operation end_step(std::int64_t step) override;
  void phase(const char* name, std::int64_t until) override { run_->recorder.phase(name, until); }
  std::int64_t next_step(std::int64_t step) override { return run_->recorder.next_step(step); }
  models::Operation compute(const models::Kernel& kernel, models::Work work) override;
  models::Operation all_reduce(const models::CollectiveCall& call, std::span<float> numbers,
                               models::Average average) override;
  models::Operation all_to_all(const models::CollectiveCall& call, std::span<const std::byte> outgoing,
                               std::span<std::byte> incoming) override;
  models::Operation all_gather(const models::CollectiveCall& call, std::span<const std::byte> mine,
                               std::span<std::byte> all_parts) override;
  models::Operation all(std::span<const models::Operation> operations) override {
    return run_->core.all_of(operations);
  }
  models::Operation wait(Seconds duration) override;
  void note(std::string_view name, double value) override;

 private:
  void due(std::uint64_t argument) override;
  const StepTimes& times() const { return run_->times[static_cast<std::size_t>(device_)]; }
  // The compute stream stands still until `time_s`.
  void idle_until(double time_s);
  void occupy(Part part, double seconds, const char* name);
  void run_bucket();
  double slowdown() const;
  models::Operation ending_at(double time_s, models::Operation operation, std::int64_t item);

  TrainingRun* run_;
  int member_, device_;
  std::int64_t step_ = -1;
  std::size_t bucket_ = 0, buckets_run_ = 0;  // asked for; put on the stream
  std::int64_t joined_ = 0;                   // collectives
  double free_s_ = 0.0;                       // the compute stream has done everything
  double step_begin_s_ = 0.0, bucket_end_s_ = 0.0, waited_s_ = 0.0;
};

}  // namespace sim
