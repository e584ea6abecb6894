#pragma once
// Ctrl-C, SIGTERM and a closing terminal (SIGHUP) set one flag that simulations look at; a second one ends the process
// at once.

#include <atomic>

namespace scenarios {

void watch_for_interruption();
// A closed pipe and a file limit become errors of the write instead of ending the process with its results unwritten.
void outlive_readers();
// In a child: the terminal's signals reach the whole group, but it is the parent that asks children to stop, and once.
void obey_the_parent_only();
const std::atomic<bool>& interruption();

}  // namespace scenarios
