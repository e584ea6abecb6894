// Carries the precompiled Catch2 header that all test programs reuse.
