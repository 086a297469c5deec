// exp() and log() from additions, multiplications and divisions alone: those round alike on every
// machine, which libm's do not, and a strategy's questions shall not depend on the machine.
// Compiled without contraction (-ffp-contract=off, for the whole project). Relative error below
// 1e-14.
#pragma once

// 0 below -700; what exp(700) is above 700.
double maths_exp(double x);
// x: positive, normal.
double maths_log(double x);
