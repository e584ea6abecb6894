#pragma once
// Schedules that others are made of.

#include "models/collective/collective.hpp"

namespace models {

Schedule ring_schedule(const Group& group, const Demand& demand);           // the kinds of the row ring
Schedule binomial_tree_schedule(const Group& group, const Demand& demand);  // the kinds of the row binomial_tree

}  // namespace models
