#!/bin/sh
# A reference that leaves a process in a session of its own, and fails.
setsid sleep 611.25 &
exit 5
