// The program; all of it is in cli_main(), so that tests can link the rest.
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
