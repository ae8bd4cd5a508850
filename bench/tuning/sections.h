// The sections of the benchmark of tuning. Each prints a table with its goals, a row as soon as it
// is known.
#pragma once

#include "bench/tuning/ground.h"

namespace lathe::bench {

// Knobs of topi's schedules: the best of 64 and of all trials against the default schedule.
void Goals(TuningGround& ground);
// Operators without a template, searched from nothing.
void Others(TuningGround& ground);
// How many programs a space has, and how much they differ in time.
void Spaces(TuningGround& ground);
// The genetic tuner against random search of many more trials.
void Efficiency(TuningGround& ground);
// What a trial costs.
void Trials(TuningGround& ground);
// How much compiling disturbs what is measured beside it.
void Disturbance(TuningGround& ground);

}  // namespace lathe::bench
