#pragma once
// What the process says to its caller; scripts rely on it.

namespace scenarios {

inline constexpr int exit_done = 0;
inline constexpr int exit_user_error = 1;  // the user can fix it, or a run ended otherwise than its scenario expects
inline constexpr int exit_usage = 2;
inline constexpr int exit_bug = 3;
inline constexpr int exit_interrupted = 130;

}  // namespace scenarios
