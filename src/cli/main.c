// The program; all else is in cli_main(), so that tests can link the rest. What a kernel has started ends with its worker; where the kernel killed that first, it ends with the program.
#include "cli/cli.h"

#include "os/descendants.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    descendants_adopt(); // where it cannot, such a process is left
    int status = cli_main(argc, argv);
    descendants_kill(getpid());
    return status;
}
