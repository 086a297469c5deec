#pragma once

#define tile 4
