// A program of the user's, with all that it starts.
#pragma once

// Runs a program (argv[0] is searched in PATH) whose input, output and errors are this process's, and
// returns its exit status, or ends by its signal. Before that, nothing that it has started is left;
// likewise when the other end of descriptor 0, a socket, is closed.
int supervise(char **argv);
