#include <cstdint>
#include <cfloat>
#include <climits>
#include <cmath>
#include <algorithm>
#include <type_traits>
