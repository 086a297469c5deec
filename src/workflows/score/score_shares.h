// Where a search is looked at along its budget, besides its mean over all of it.
#pragma once

// Shares of the budget.
#define CURVE_SHARES 5
extern const double curve_shares[CURVE_SHARES]; // 0.05, 0.1, 0.25, 0.5, 1
// A value within this share of the optimum counts as found.
#define CURVE_NEAR 0.01
